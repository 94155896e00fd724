//! The papers name files that exist, and the map has every file of the library.

mod support;

use std::{fs, path::Path};

use support::{TestResult, sources};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
const PAPERS: [&str; 7] = [
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "README.md",
    "RELEASING.md",
    "SECURITY.md",
    "outbox/README.md",
    "sandbox/README.md",
];

/// What stands between single backticks, outside of code blocks.
fn code(text: &str) -> Vec<&str> {
    let prose = text.split("```").step_by(2);
    prose.flat_map(|part| part.split('`').skip(1).step_by(2)).collect()
}

#[test]
fn every_path_that_a_paper_names_exists() -> TestResult {
    let folders = [
        "benches/",
        "codegen/",
        "document/",
        "examples/",
        "openapi/",
        "outbox/",
        "sandbox/",
        "src/",
        "tests/",
        "xtask/",
    ];
    let mut checked = 0;
    for paper in PAPERS {
        let text = fs::read_to_string(Path::new(ROOT).join(paper))?;
        let is_path = |name: &&str| folders.iter().any(|folder| name.starts_with(folder));
        for name in code(&text).into_iter().filter(is_path) {
            // A command is a path with arguments; of a pattern, the folder has to exist.
            let name = name.split(' ').next().unwrap_or_default();
            let pattern = ["*", "<", "{", "NAME"].iter().filter_map(|mark| name.find(mark)).min();
            let fixed = pattern.map_or(name, |end| &name[..name[..end].rfind('/').unwrap_or(end)]);
            assert!(Path::new(ROOT).join(fixed).exists(), "{paper} names `{name}`, which does not exist");
            checked += 1;
        }
    }
    assert!(checked > 50, "{checked}");
    Ok(())
}

#[test]
fn every_file_of_the_library_is_on_the_map() -> TestResult {
    let map = fs::read_to_string(Path::new(ROOT).join("ARCHITECTURE.md"))?;
    let section = map.split("### `src/`").nth(1).and_then(|rest| rest.split("\n### ").next()).ok_or("no section")?;
    let named = code(section);
    let folder = Path::new(ROOT).join("src");
    for file in sources(&folder)? {
        let path = file.strip_prefix(&folder)?.display().to_string().replace('\\', "/");
        let entry = path.split_once('/').map_or(path.clone(), |(folder, _)| format!("{folder}/"));
        assert!(path == "lib.rs" || named.contains(&entry.as_str()), "ARCHITECTURE.md does not have src/{path}");
    }
    Ok(())
}
