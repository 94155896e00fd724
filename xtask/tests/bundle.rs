//! The bundle is complete, contains checksums, and is reproducible.

mod support;

use std::{fs, process::Command};

use support::{TestResult, Workspace};

/// The name of the bundle. The document has the version of the crates.
const NAME: &str = concat!("business-data-connector-openapi-", env!("CARGO_PKG_VERSION"));

fn archive() -> String {
    format!("target/{NAME}.tar.gz")
}

#[test]
fn it_is_identical_wherever_it_is_packed() -> TestResult {
    let [one, other] = [Workspace::copied()?, Workspace::copied()?];
    // Like a checkout with `core.autocrlf`. The files are newer, too.
    for (path, bytes) in other.everything_else()? {
        if path.extension().is_some_and(|end| end == "json" || end == "md") || path.ends_with("LICENSE-MIT") {
            fs::write(path, String::from_utf8(bytes)?.replace('\n', "\r\n"))?;
        }
    }
    for workspace in [&one, &other] {
        let (passed, output) = workspace.xtask(&["bundle"])?;
        assert!(passed && output.contains(&archive()), "{output}");
    }
    assert!(fs::read(one.path(&archive()))? == fs::read(other.path(&archive()))?, "the archives differ");
    Ok(())
}

#[cfg(unix)]
#[test]
fn standard_tools_unpack_and_verify_it() -> TestResult {
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
    // It contains all files of the folder unchanged.
    for folder in ["", "languages", "schemas", "vectors"] {
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
fn stale_files_are_not_packed() -> TestResult {
    let workspace = Workspace::copied()?;
    workspace.edit("openapi/connector.yaml", "Name of the expense.", "What the expense is called.")?;
    for task in ["bundle", "dist"] {
        let (passed, output) = workspace.xtask(&[task])?;
        assert!(!passed && output.contains("run `cargo xtask regen`"), "{task}: {output}");
    }
    assert!(!workspace.path(&archive()).exists());
    Ok(())
}
