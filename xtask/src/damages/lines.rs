//! The lines of the document, each with its key and the lines below it.

/// A line of YAML in block style.
pub struct Line {
    /// The key, without quotes. `None` in a folded text, and for an element of a list without keys.
    pub key: Option<String>,
    /// Where the key begins in the line.
    pub column: usize,
    /// How far the line is indented.
    pub indent: usize,
    /// The keys that lead to it.
    pub location: String,
    /// The line that it is below.
    pub parent: Option<usize>,
    /// The first line that is no longer below it.
    pub end: usize,
    /// Whether it is neither empty nor a comment.
    pub has_content: bool,
}

/// Reads the structure of a text from its indentation.
pub fn read(text: &[&str]) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    // The lines around the current one, with the column of what is below them.
    let mut around: Vec<usize> = Vec::new();
    let mut folded: Option<usize> = None;
    for (number, line) in text.iter().enumerate() {
        let indent = line.len() - line.trim_start().len();
        let content = line.trim_start();
        let is_folded = folded.is_some_and(|outer| indent > outer);
        let has_content = !content.is_empty() && (is_folded || !content.starts_with('#'));
        if !has_content {
            lines.push(Line {
                key: None,
                column: indent,
                indent,
                location: String::new(),
                parent: None,
                end: number + 1,
                has_content,
            });
            continue;
        }
        if !is_folded {
            folded = None;
        }
        let item = content.strip_prefix("- ").filter(|_| !is_folded);
        while let Some(last) = around.last() {
            let outer: &Line = &lines[*last];
            // The elements of a list may be as far to the left as their key.
            if outer.column < indent || (outer.column == indent && item.is_some() && outer.column == outer.indent) {
                break;
            }
            around.pop();
        }
        let column = if item.is_some() { indent + 2 } else { indent };
        let key = if is_folded { None } else { key(item.unwrap_or(content)) };
        let parent = around.last().copied();
        let outer = parent.map(|parent| lines[parent].location.as_str()).unwrap_or_default();
        let location = format!("{outer}.{}", key.as_deref().unwrap_or_default()).trim_matches('.').to_owned();
        if key.is_some() && [">-", "|-", ">", "|"].iter().any(|start| content.ends_with(&format!(": {start}"))) {
            folded = Some(column);
        }
        lines.push(Line { key, column, indent, location, parent, end: number + 1, has_content });
        if !is_folded {
            around.push(number);
        }
    }
    for number in (0..lines.len()).filter(|number| lines[*number].has_content).collect::<Vec<_>>() {
        let indent = lines[number].indent;
        let below = |line: &Line| !line.has_content || line.indent > indent;
        let mut end = number + 1 + lines[number + 1..].iter().take_while(|line| below(line)).count();
        // Comments belong to what follows them.
        while end > number + 1 && !lines[end - 1].has_content {
            end -= 1;
        }
        lines[number].end = end;
    }
    lines
}

/// The key at the beginning of a text: `key: value`, `'key':`.
fn key(text: &str) -> Option<String> {
    let quoted = text.strip_prefix('\'').and_then(|rest| rest.split_once("':")).map(|(key, _)| key);
    let plain = || text.strip_suffix(':').or_else(|| text.split_once(": ").map(|(key, _)| key));
    quoted.or_else(|| plain().filter(|key| !key.starts_with(['\'', '[', '{']))).map(str::to_owned)
}
