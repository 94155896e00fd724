//! `compat` as a command: against what it compares, and when it is red.

mod support;

use support::{Outcome, Workspace};

const REQUIRED: (&str, &str) = ("required: [apikey, appid, uid, webhook]", "required: [apikey, appid, uid]");

#[test]
fn nothing_changed_is_a_patch() -> Outcome {
    let workspace = Workspace::committed()?;
    assert_eq!(workspace.xtask(&["compat"])?, (true, "Rust users: patch\nsenders of JSON: patch\n".to_owned()));
    Ok(())
}

#[test]
fn what_breaks_is_red_until_version_and_changelog_say_so() -> Outcome {
    let workspace = Workspace::committed()?;
    workspace.edit("openapi/connector.yaml", REQUIRED.0, REQUIRED.1)?;
    let (green, said) = workspace.xtask(&["compat"])?;
    assert!(!green);
    for line in [
        "pull_insights: `webhook` became optional (Rust users: breaking, senders of JSON: minor)\n",
        "Rust users: breaking\nsenders of JSON: minor\n",
        concat!("the version in Cargo.toml goes from ", env!("CARGO_PKG_VERSION"), " to ", env!("CARGO_PKG_VERSION")),
        "CHANGELOG.md has no new line with the word \"breaking\"",
    ] {
        assert!(said.contains(line), "{line}: {said}");
    }
    let version = concat!("version = \"", env!("CARGO_PKG_VERSION"), "\"");
    workspace.edit("Cargo.toml", version, "version = \"99.0.0\"")?;
    let (green, said) = workspace.xtask(&["compat"])?;
    assert!(!green && !said.contains("the version"), "{said}");
    workspace.edit(
        "CHANGELOG.md",
        "## [Unreleased]",
        "## [Unreleased]\n\n- **Breaking**: the webhook is a setter now.",
    )?;
    let (green, said) = workspace.xtask(&["compat"])?;
    assert!(green, "{said}");
    Ok(())
}

#[test]
fn a_branch_is_compared_with_where_it_left_the_main_branch() -> Outcome {
    let workspace = Workspace::committed()?;
    workspace.git(&["checkout", "--quiet", "-b", "work"])?;
    workspace.edit(
        "openapi/connector.yaml",
        "        feeid:",
        "        channel:\n          type: string\n          description: Channel.\n        feeid:",
    )?;
    workspace.git(&["commit", "--quiet", "--all", "--message=work"])?;
    let wanted = "push_income: `data.channel` was added, optional (Rust users: minor, senders of JSON: minor)\n";
    let (green, said) = workspace.xtask(&["compat"])?;
    assert!(green && said.contains(wanted), "{said}");
    let (green, said) = workspace.xtask(&["compat", "--against", "HEAD"])?;
    assert!(green && !said.contains(wanted), "{said}");
    let (green, said) = workspace.xtask(&["compat", "--against", "nothing"])?;
    assert!(!green && said.starts_with("nothing is not a commit here"), "{said}");
    Ok(())
}

#[test]
fn without_a_main_branch_it_is_red_and_says_what_to_do() -> Outcome {
    let workspace = Workspace::committed()?;
    workspace.git(&["branch", "--move", "work"])?;
    let (green, said) = workspace.xtask(&["compat"])?;
    assert!(!green && said.starts_with("the main branch is not here to compare with: fetch it"), "{said}");
    Ok(())
}

#[test]
fn without_git_it_says_what_it_left_out() -> Outcome {
    let workspace = Workspace::copied()?;
    let (green, said) = workspace.xtask(&["compat"])?;
    assert!(green && said.starts_with("left out: "), "{said}");
    Ok(())
}
