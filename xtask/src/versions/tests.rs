use super::*;

/// The document with one edit.
fn edited(from: &str, to: &str) -> String {
    let document = read(DOCUMENT).unwrap();
    assert!(document.contains(from), "{from:?} is not in the document");
    document.replacen(from, to, 1)
}

/// The document at version 0.1.0, and with a new optional field.
fn documents() -> (String, String) {
    let field = "        phone:\n          type: string\n          description: A telephone number.\n";
    let record = "    PushIncomeRequest:\n      type: object\n      description: Request body of `push_income`.\n      \
                  x-evidence: specified\n      required: [apikey, appid, uid, data]\n      properties:\n";
    (read(DOCUMENT).unwrap(), edited(record, &format!("{record}{field}")))
}

/// The findings on a changelog whose document has this version, after a release of 0.1.0.
fn findings_on(changelog: &str, version: &str, document: &str) -> Vec<String> {
    let (old, _) = documents();
    let released = |version: &Version| (version.to_string() == "0.1.0").then(|| old.clone());
    compared(changelog, (&version.parse().unwrap(), document), &released).unwrap()
}

const MINOR: &str = "Since 0.1.0: Rust users minor, senders of JSON minor, receivers of callbacks patch.";

#[test]
fn a_version_with_the_verdicts_of_compat_and_the_right_step_passes() {
    let (old, new) = documents();
    let changelog = format!("# Changelog\n\n## 0.1.1 - 2026-04-01\n\n{MINOR}\n\n- More.\n\n## 0.1.0\n\nFirst.\n");
    assert_eq!(findings_on(&changelog, "0.1.1", &new), Vec::<String>::new());
    assert_eq!(findings_on("## 0.1.0\n\nFirst.\n", "0.1.0", &old), Vec::<String>::new());
}

#[test]
fn a_verdict_that_compat_does_not_have_is_reported_with_the_right_line() {
    let (_, new) = documents();
    for told in ["patch", "breaking"] {
        let line = MINOR.replace("senders of JSON minor", &format!("senders of JSON {told}"));
        let found = findings_on(&format!("## Unreleased\n\n{line}\n\n## 0.1.0\n"), "0.1.0", &new);
        assert_eq!(found, [format!("{CHANGELOG}:1: `compat` has other verdicts; write `{MINOR}`")]);
    }
}

#[test]
fn a_step_of_the_version_that_is_too_small_or_too_large_is_reported() {
    let (old, new) = documents();
    let found = findings_on(&format!("## 0.2.0\n{MINOR}\n## 0.1.0\n"), "0.2.0", &new);
    assert_eq!(found, [format!("{CHANGELOG}:1: a step whose worst verdict is minor leads from 0.1.0 to 0.1.1")]);
    let broken = old.replacen("required: [apikey, appid, email]", "required: [apikey, appid]", 1);
    let broken = broken.replacen("operationId: push_income", "operationId: push_incomes", 1);
    let since = Since::line(&"0.1.0".parse().unwrap(), verdicts(&old, &broken).unwrap());
    assert!(since.contains("breaking"), "{since}");
    let found = findings_on(&format!("## 0.1.1\n{since}\n## 0.1.0\n"), "0.1.1", &broken);
    assert_eq!(found, [format!("{CHANGELOG}:1: a step whose worst verdict is breaking leads from 0.1.0 to 0.2.0")]);
    assert_eq!(findings_on(&format!("## 0.2.0\n{since}\n## 0.1.0\n"), "0.2.0", &broken), Vec::<String>::new());
    assert_eq!(findings_on(&format!("## 1.0.0\n{since}\n## 0.1.0\n"), "1.0.0", &broken), Vec::<String>::new());
}

#[test]
fn what_is_missing_is_reported() {
    let (_, new) = documents();
    let first = |changelog: &str, version: &str| findings_on(changelog, version, &new).into_iter().next().unwrap();
    assert_eq!(
        first("## 0.1.0\n", "0.1.0"),
        format!("{CHANGELOG}:1: the document differs from version 0.1.0; add a section `## Unreleased` with `{MINOR}`")
    );
    assert_eq!(
        first("## 0.1.0\n", "0.1.1"),
        format!("{CHANGELOG}:1: the newest version must be 0.1.1, that of the document; add a section `## 0.1.1`")
    );
    let example = "Since 0.1.0: Rust users patch, senders of JSON patch, receivers of callbacks patch.";
    assert_eq!(
        first("# Changelog\n## 0.1.1\n## 0.1.0\n", "0.1.1"),
        format!("{CHANGELOG}:2: add a line such as `{example}`")
    );
    assert_eq!(
        first("## 0.1.1\n## soon\n", "0.1.1"),
        format!("{CHANGELOG}:2: `soon` must begin with a version; only the first section may be `Unreleased`")
    );
}
