/// Names for a sentence: "`a`, `b`", or "none".
pub(super) fn list_of(names: &[impl AsRef<str>]) -> String {
    match names {
        [] => "none".to_owned(),
        names => names.iter().map(|name| format!("`{}`", name.as_ref())).collect::<Vec<_>>().join(", "),
    }
}
