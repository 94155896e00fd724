//! The command `compat`: what it compares with, and when it fails.

mod support;

use support::{TestResult, Workspace};

const REQUIRED: (&str, &str) = ("required: [apikey, appid, uid, webhook]", "required: [apikey, appid, uid]");

#[test]
fn no_change_is_a_patch() -> TestResult {
    let workspace = Workspace::committed()?;
    let expected = "Rust users: patch\nsenders of JSON: patch\nreceivers of callbacks: patch\n";
    assert_eq!(workspace.xtask(&["compat"])?, (true, expected.to_owned()));
    Ok(())
}

#[test]
fn a_breaking_change_fails_until_version_and_changelog_announce_it() -> TestResult {
    let workspace = Workspace::committed()?;
    workspace.edit("openapi/connector.yaml", REQUIRED.0, REQUIRED.1)?;
    let (passed, output) = workspace.xtask(&["compat"])?;
    assert!(!passed);
    for line in [
        "pull_insights: `webhook` became optional (Rust users: breaking, senders of JSON: minor, receivers of \
         callbacks: patch)\n",
        "Rust users: breaking\nsenders of JSON: minor\nreceivers of callbacks: patch\n",
        concat!("the version in Cargo.toml goes from ", env!("CARGO_PKG_VERSION"), " to ", env!("CARGO_PKG_VERSION")),
        "CHANGELOG.md has no new line with the word \"breaking\"",
    ] {
        assert!(output.contains(line), "{line}: {output}");
    }
    let version = concat!("version = \"", env!("CARGO_PKG_VERSION"), "\"");
    workspace.edit("Cargo.toml", version, "version = \"99.0.0\"")?;
    let (passed, output) = workspace.xtask(&["compat"])?;
    assert!(!passed && !output.contains("the version"), "{output}");
    workspace.edit(
        "CHANGELOG.md",
        "## [Unreleased]",
        "## [Unreleased]\n\n- **Breaking**: the webhook is a setter now.",
    )?;
    let (passed, output) = workspace.xtask(&["compat"])?;
    assert!(passed, "{output}");
    Ok(())
}

#[test]
fn a_branch_is_compared_with_its_merge_base_with_the_main_branch() -> TestResult {
    let workspace = Workspace::committed()?;
    workspace.git(&["checkout", "--quiet", "-b", "work"])?;
    workspace.edit(
        "openapi/connector.yaml",
        "        feeid:",
        "        channel:\n          type: string\n          description: Channel.\n        feeid:",
    )?;
    workspace.git(&["commit", "--quiet", "--all", "--message=work"])?;
    let expected = "push_income: `data.channel` was added, optional (Rust users: minor, senders of JSON: minor, \
                    receivers of callbacks: patch)\n";
    let (passed, output) = workspace.xtask(&["compat"])?;
    assert!(passed && output.contains(expected), "{output}");
    let (passed, output) = workspace.xtask(&["compat", "--against", "HEAD"])?;
    assert!(passed && !output.contains(expected), "{output}");
    let (passed, output) = workspace.xtask(&["compat", "--against", "nothing"])?;
    assert!(!passed && output.starts_with("there is no commit `nothing`"), "{output}");
    Ok(())
}

#[test]
fn without_a_main_branch_it_fails_and_explains_what_to_do() -> TestResult {
    let workspace = Workspace::committed()?;
    workspace.git(&["branch", "--move", "work"])?;
    let (passed, output) = workspace.xtask(&["compat"])?;
    assert!(!passed && output.starts_with("there is no main branch to compare with; fetch it"), "{output}");
    Ok(())
}

#[test]
fn without_git_it_reports_that_the_comparison_is_left_out() -> TestResult {
    let workspace = Workspace::copied()?;
    let (passed, output) = workspace.xtask(&["compat"])?;
    assert!(passed && output.starts_with("left out: "), "{output}");
    Ok(())
}
