//! Applications that depend on this crate keep working. Each is a crate with a workspace of its own in
//! `tests/dependants/`, so that it has the features of its dependencies that its users would have, and no others.
//!
//! They are built, which takes minutes: `cargo test --test dependants -- --ignored --test-threads 1`.

#![cfg(feature = "rustls")]

mod support;

use std::{
    error::Error,
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use support::{Authority, MockServer, TestResult, TlsServer};
use tempfile::NamedTempFile;

type Fallible<T> = Result<T, Box<dyn Error>>;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// One target directory for all, so that what they share is compiled once.
fn target() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("dependants")
}

/// Builds a copy of an application, with the versions of this workspace, and returns the directory of its programs.
fn build(name: &str) -> Fallible<PathBuf> {
    let (from, to) = (Path::new(ROOT).join("tests/dependants").join(name), target().join("apps").join(name));
    let manifest = fs::read_to_string(from.join("Cargo.toml"))?.replace("../../..", ROOT);
    copy(&from.join("src"), &to.join("src"))?;
    build_in(&to, &manifest)
}

fn build_in(folder: &Path, manifest: &str) -> Fallible<PathBuf> {
    fs::write(folder.join("Cargo.toml"), manifest)?;
    fs::copy(Path::new(ROOT).join("Cargo.lock"), folder.join("Cargo.lock"))?;
    let mut output = cargo(folder, &["build", "--offline"])?;
    if String::from_utf8_lossy(&output.stderr).contains("offline") {
        output = cargo(folder, &["build"])?;
    }
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    Ok(target().join("debug"))
}

fn cargo(folder: &Path, arguments: &[&str]) -> Fallible<Output> {
    let mut command = Command::new(env!("CARGO"));
    command.args(arguments).current_dir(folder);
    command.env("CARGO_TARGET_DIR", target()).env("CARGO_PROFILE_DEV_DEBUG", "0");
    Ok(command.output()?)
}

fn copy(from: &Path, to: &Path) -> Fallible<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        match entry.file_type()?.is_dir() {
            true => copy(&entry.path(), &to.join(entry.file_name()))?,
            false => _ = fs::copy(entry.path(), to.join(entry.file_name()))?,
        }
    }
    Ok(())
}

/// Runs a program, whose platform trusts `trusted`, and returns what it printed.
async fn run(program: PathBuf, arguments: &[&str], trusted: &Path) -> Fallible<String> {
    let mut command = Command::new(program);
    command.args(arguments).env("SSL_CERT_FILE", trusted).env_remove("SSL_CERT_DIR");
    let output = tokio::task::spawn_blocking(move || command.output()).await??;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    Ok(String::from_utf8(output.stdout)?)
}

fn file(content: &str) -> Fallible<NamedTempFile> {
    let file = NamedTempFile::new()?;
    fs::write(file.path(), content)?;
    Ok(file)
}

fn text(path: &Path) -> Fallible<&str> {
    Ok(path.to_str().ok_or("a path that is not Unicode")?)
}

#[tokio::test]
#[ignore = "builds an application"]
async fn an_application_that_pins_a_certificate_accepts_no_other() -> TestResult {
    let programs = build("pinning")?;
    let (server, strict) = (TlsServer::start().await?, TlsServer::with_client_certificates().await?);
    let stranger = Authority::new("a stranger")?.pem();
    let mut wrong = Vec::new();
    for (server, setting, platform_trusts_it, expected) in [
        (&server, "none", true, "accepted"),
        (&server, "none", false, "refused"),
        (&server, "merge", false, "accepted"),
        (&server, "only", false, "accepted"),
        (&server, "only another", true, "refused"),
        (&server, "any", false, "accepted"),
        (&server, "at most 1.2", false, "accepted"),
        (&server, "without a server name", false, "accepted"),
        (&strict, "only", false, "refused"),
        (&strict, "identity", false, "accepted"),
    ] {
        let (authority, other) = (file(&server.authority.pem())?, file(&stranger)?);
        let identity = file(&server.authority.identity("partner")?)?;
        let trusted = if platform_trusts_it { authority.path() } else { other.path() };
        let files = [text(authority.path())?, text(other.path())?, text(identity.path())?];
        let arguments = [&[setting, &server.url], &files[..]].concat();
        let printed = run(programs.join("pinning"), &arguments, trusted).await?;
        if printed.trim() != expected {
            wrong.push(format!("{setting}, trusted by the platform: {platform_trusts_it}: {printed}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    Ok(())
}

#[tokio::test]
#[ignore = "builds an application"]
async fn an_application_with_a_client_for_plain_http_keeps_working() -> TestResult {
    let programs = build("plain-http")?;
    let service = MockServer::accepting().await?;
    // reqwest loads the certificates of the platform even where only http is used, and fails where there are none.
    let trusted = file(&Authority::new("of the platform")?.pem())?;
    for program in ["connector_first", "client_first"] {
        let printed = run(programs.join(program), &[&service.url], trusted.path()).await?;
        assert_eq!(printed, "200 OK\n", "{program}");
    }
    Ok(())
}

#[tokio::test]
#[ignore = "builds an application"]
async fn an_application_with_native_tls_of_its_own_keeps_working() -> TestResult {
    let openssl =
        || Command::new("pkg-config").args(["--exists", "openssl"]).status().is_ok_and(|found| found.success());
    if cfg!(target_os = "linux") && !openssl() {
        println!("left out, since the development files of OpenSSL are not there");
        return Ok(());
    }
    let program = build("own-native-tls")?.join("own-native-tls");
    let server = TlsServer::start().await?;
    let (authority, other) = (file(&server.authority.pem())?, file(&Authority::new("a stranger")?.pem())?);
    let arguments = [&server.url, text(authority.path())?, text(other.path())?];
    let printed = run(program, &arguments, other.path()).await?;
    let wrong: Vec<_> =
        printed.lines().filter(|line| line.ends_with("true") == line.contains("another authority")).collect();
    assert!(wrong.is_empty() && printed.lines().count() == 10, "{printed}");
    Ok(())
}

#[tokio::test]
#[ignore = "builds an application"]
async fn an_application_may_choose_the_crypto_provider() -> TestResult {
    let program = build("own-provider")?.join("own-provider");
    let server = TlsServer::start().await?;
    let authority = file(&server.authority.pem())?;
    let printed = run(program, &[&server.url, text(authority.path())?], Path::new("/nonexistent")).await?;
    let lines: Vec<_> = printed.lines().collect();
    assert!(lines[0].contains("no rustls crypto provider is installed; install one with"), "{printed}");
    assert_eq!(lines[1..], ["installed: false", "200 OK"]);
    Ok(())
}

#[test]
#[ignore = "builds an application"]
fn the_first_snippet_of_the_readme_builds_with_the_dependencies_that_it_names() -> TestResult {
    let readme = fs::read_to_string(Path::new(ROOT).join("README.md"))?;
    let (_, usage) = readme.split_once("\n## Use\n").ok_or("the README has no section `Use`")?;
    let dependencies = block(usage, "```toml\n")?;
    let (before, rest) = dependencies
        .split_once("business-data-connector = { path = \"")
        .ok_or("the README names no path to this crate, which is not published")?;
    let (_, after) = rest.split_once('"').ok_or("a path without an end")?;
    let package = "[package]\nname = \"readme\"\nedition = \"2024\"\n\n[workspace]\n\n";
    let manifest = format!("{package}{before}business-data-connector = {{ path = \"{ROOT}\"{after}");
    let folder = target().join("apps/readme");
    fs::create_dir_all(folder.join("src"))?;
    fs::write(folder.join("src/main.rs"), block(usage, "```rust,no_run\n")?)?;
    build_in(&folder, &manifest)?;
    Ok(())
}

/// The first block of Markdown that begins with a fence.
fn block<'a>(text: &'a str, fence: &str) -> Fallible<&'a str> {
    let (_, rest) = text.split_once(fence).ok_or_else(|| format!("the README has no block {fence}"))?;
    Ok(rest.split_once("```").ok_or("a block without an end")?.0)
}

/// No target for WebAssembly is needed: the compiler is made to believe that this is one, for this crate alone.
#[test]
#[ignore = "builds an application"]
fn a_build_for_webassembly_fails_with_a_sentence() -> TestResult {
    let cfg = ["--cfg", "target_family=\"wasm\"", "-A", "explicit_builtin_cfgs_in_flags"];
    let arguments = [&["rustc", "--offline", "--lib", "--package", "business-data-connector", "--"], &cfg[..]].concat();
    let output = cargo(Path::new(ROOT), &arguments)?;
    let printed = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && printed.contains("does not support WebAssembly"), "{printed}");
    Ok(())
}
