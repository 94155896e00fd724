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

/// What `check` refuses of the document, by one replacement in it.
const REFUSED: [(&str, &str, &str); 3] = [
    ("schemas/IncomeRecord'", "schemas/Nothing'", "PushIncomeRequest.properties.data.allOf[0]: refers to"),
    ("operationId: push_expense", "operationId: push_income", "operationId: is already used by"),
    ("          application/json:", "          text/csv:", "requestBody.content: must be exactly `application/json`"),
];

#[test]
fn a_document_that_check_refuses_is_not_compared() -> TestResult {
    for (from, to, reason) in REFUSED {
        let workspace = Workspace::committed()?;
        workspace.edit("openapi/connector.yaml", from, to)?;
        let (passed, refused) = workspace.xtask(&["check"])?;
        assert!(!passed);
        let (passed, output) = workspace.xtask(&["compat"])?;
        let refused = refused.strip_prefix(support::COMPARING).ok_or("it does not say what it does")?;
        assert!(!passed && output == refused, "{output}");
        assert!(output.starts_with("openapi/connector.yaml:") && output.contains(reason), "{output}");
    }
    Ok(())
}

#[test]
fn an_older_document_that_check_refuses_is_named_with_its_violations() -> TestResult {
    let (from, to, reason) = REFUSED[0];
    let workspace = Workspace::copied()?;
    workspace.edit("openapi/connector.yaml", from, to)?;
    workspace.git(&["init", "--quiet", "--initial-branch=main"])?;
    workspace.git(&["add", "--all"])?;
    workspace.git(&["commit", "--quiet", "--message=all"])?;
    workspace.edit("openapi/connector.yaml", to, from)?;
    let commit = workspace.git_output(&["rev-parse", "HEAD"])?;
    let (passed, output) = workspace.xtask(&["compat"])?;
    let expected = format!(
        "left out: the comparison with {0}, whose openapi/connector.yaml does not pass `check`\n{0}:openapi/connector.yaml:",
        &commit[..12]
    );
    assert!(passed && output.starts_with(&expected) && output.contains(reason), "{output}");
    assert!(!output.contains("Rust users"), "{output}");
    Ok(())
}
