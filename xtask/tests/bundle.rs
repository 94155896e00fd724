//! The bundle is whole, tells what it holds, and has the same bytes wherever it is packed.

mod support;

use std::{fs, process::Command};

use support::{Outcome, Workspace};

/// The name of the bundle; the document and the crates have one version.
const NAME: &str = concat!("business-data-connector-openapi-", env!("CARGO_PKG_VERSION"));

fn archive() -> String {
    format!("target/{NAME}.tar.gz")
}

#[test]
fn it_has_the_same_bytes_wherever_it_is_packed() -> Outcome {
    let [one, other] = [Workspace::copied()?, Workspace::copied()?];
    // As a checkout with `core.autocrlf` would have it; its files are newer, too.
    for (path, bytes) in other.everything_else()? {
        if path.extension().is_some_and(|end| end == "json" || end == "md") || path.ends_with("LICENSE-MIT") {
            fs::write(path, String::from_utf8(bytes)?.replace('\n', "\r\n"))?;
        }
    }
    for workspace in [&one, &other] {
        let (green, said) = workspace.xtask(&["bundle"])?;
        assert!(green && said.contains(&archive()), "{said}");
    }
    assert!(fs::read(one.path(&archive()))? == fs::read(other.path(&archive()))?, "the archives differ");
    Ok(())
}

#[cfg(unix)]
#[test]
fn it_is_unpacked_and_checked_by_ordinary_tools() -> Outcome {
    let workspace = Workspace::copied()?;
    workspace.xtask(&["bundle"])?;
    let folder = tempfile::tempdir()?;
    let unpacked =
        Command::new("tar").arg("-xzf").arg(workspace.path(&archive())).arg("-C").arg(folder.path()).status()?;
    assert!(unpacked.success());
    let inside = folder.path().join(NAME);
    let checked =
        Command::new("sha256sum").args(["--check", "--strict", "SHA256SUMS"]).current_dir(&inside).output()?;
    assert!(checked.status.success(), "{checked:?}");
    // Everything of the folder is there, as it is.
    for folder in ["", "schemas", "vectors"] {
        for entry in fs::read_dir(workspace.path("openapi").join(folder))? {
            let entry = entry?;
            if entry.file_type()?.is_file() {
                let packed = inside.join(folder).join(entry.file_name());
                assert_eq!(fs::read(entry.path())?, fs::read(&packed)?, "{}", packed.display());
            }
        }
    }
    assert_eq!(fs::read_to_string(inside.join("VERSION"))?, concat!(env!("CARGO_PKG_VERSION"), "\n"));
    Ok(())
}

#[test]
fn what_is_stale_is_not_packed() -> Outcome {
    let workspace = Workspace::copied()?;
    workspace.edit("openapi/connector.yaml", "Name of the expense.", "What the expense is called.")?;
    let (green, said) = workspace.xtask(&["bundle"])?;
    assert!(!green && said.contains("run `cargo xtask regen`"), "{said}");
    assert!(!workspace.path(&archive()).exists());
    Ok(())
}
