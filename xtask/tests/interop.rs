//! Other languages: a wrong vector is detected and named, and the instructions in `openapi/README.md` are tested ones.

mod support;

use std::{
    collections::BTreeSet,
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use serde_json::Value;
use support::{TestResult, Workspace};

type Fallible<T> = Result<T, Box<dyn std::error::Error>>;

fn root() -> Fallible<PathBuf> {
    Ok(Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize()?)
}

/// The `interop.toml` of each language.
fn plans() -> Fallible<Vec<Value>> {
    let mut plans = Vec::new();
    for entry in fs::read_dir(root()?.join("tests/interop"))? {
        if let Ok(plan) = fs::read_to_string(entry?.path().join("interop.toml")) {
            plans.push(toml_edit::de::from_str(&plan)?);
        }
    }
    assert!(!plans.is_empty());
    Ok(plans)
}

/// Whether the validators of every language agree with the vectors in this folder, and the output.
fn validated(openapi: &Path) -> Fallible<(bool, String)> {
    let mut interop = Command::new(env!("CARGO_BIN_EXE_xtask"));
    interop.args(["interop", "--kind", "validators", "--openapi"]).arg(openapi).current_dir(root()?);
    let output = interop.output()?;
    Ok((output.status.success(), String::from_utf8(output.stdout)?))
}

/// Whether a language was left out, unless nothing may be.
fn left_out(language: &str, output: &str) -> bool {
    std::env::var_os("BDC_COMPLETE").is_none() && output.contains(&format!("left out: {language}"))
}

#[test]
#[ignore = "requires the tools of `cargo xtask interop`, and exclusive use of its folders: --test-threads 1"]
fn every_language_names_a_wrong_vector() -> TestResult {
    let copy = Workspace::copied()?;
    let mut vectors: Vec<Value> = serde_json::from_str(&copy.read("openapi/vectors/push_income.json")?)?;
    let wrong = vectors.iter_mut().find(|vector| vector["why"] == "`data.amount` is of the wrong type");
    wrong.ok_or("no such vector")?["valid"] = true.into();
    copy.write("openapi/vectors/push_income.json", &serde_json::to_string(&vectors)?)?;

    let (passed, output) = validated(&copy.path("openapi"))?;
    assert!(!passed, "{output}");
    for plan in plans()? {
        let language = plan["language"].as_str().ok_or("no language")?;
        let failed = output.split(&format!("{language}: validators: ")).nth(1).unwrap_or_default();
        let failed = failed.split("validators: ").next().unwrap_or_default();
        let named = "vectors/push_income.json: `data.amount` is of the wrong type: expected valid, got invalid";
        assert!(
            failed.contains("failed: ") && failed.contains(named) || left_out(language, &output),
            "{language}: {output}"
        );
    }
    Ok(())
}

/// The code blocks in the README with this language.
fn blocks(language: &str) -> Fallible<Vec<String>> {
    let readme = fs::read_to_string(root()?.join("openapi/README.md"))?;
    let begin = format!("\n```{language}\n");
    let blocks = readme.split(&begin).skip(1);
    Ok(blocks.filter_map(|rest| Some(rest.split_once("\n```")?.0.to_owned() + "\n")).collect())
}

#[test]
fn the_commands_of_the_readme_are_tested() -> TestResult {
    // Without the folders of programs and files, which differ.
    let words = |command: &str| -> Fallible<BTreeSet<String>> {
        let words = shell_words::split(command)?.into_iter();
        Ok(words
            .map(|word| word.replace("$BDC_OPENAPI/", "").replace("venv/bin/", "").replace("node_modules/.bin/", ""))
            .collect())
    };
    let mut tested = Vec::new();
    for plan in plans()? {
        for check in plan["check"].as_array().into_iter().flatten().filter(|check| check["kind"] != "validators") {
            let commands = check["run"].as_array().into_iter().flatten().filter_map(Value::as_str);
            let generators = commands.filter(|command| command.contains("$BDC_OPENAPI/"));
            tested.extend(generators.map(words).collect::<Fallible<Vec<_>>>()?);
        }
    }
    let shown = blocks("sh")?.into_iter().find(|block| block.contains("# Python")).ok_or("no commands")?;
    let shown = shown.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let shown = shown.map(words).collect::<Fallible<Vec<_>>>()?;
    for command in &tested {
        // A tested command may have more words, such as a configuration file.
        assert!(shown.iter().any(|shown| shown.is_subset(command)), "not in openapi/README.md: {command:?}");
    }
    assert_eq!(shown.len(), tested.len());
    Ok(())
}

#[test]
fn the_receivers_of_the_readme_are_those_that_are_tested() -> TestResult {
    for (fence, file) in [("python", "python/receiver.py"), ("js", "typescript/receiver.mjs"), ("go", "go/receiver.go")]
    {
        let tested = fs::read_to_string(root()?.join("tests/interop").join(file))?;
        let blocks = blocks(fence)?;
        let [_, shown] = blocks.as_slice() else { return Err(format!("{} blocks of {fence}", blocks.len()).into()) };
        assert_eq!(*shown, tested, "{file}");
    }
    Ok(())
}

#[test]
#[ignore = "requires the tools of `cargo xtask interop`, and exclusive use of its folders: --test-threads 1"]
fn the_code_of_the_readme_reports_what_is_wrong_with_a_body() -> TestResult {
    let root = root()?;
    let (passed, output) = validated(&root.join("openapi"))?;
    assert!(passed, "{output}");
    for (fence, language, file, command) in [
        ("python", "Python", "readme.py", "venv/bin/python"),
        ("js", "TypeScript", "readme.mjs", "node"),
        ("go", "Go", "readme.go", "env GO111MODULE=off GOPATH=/usr/share/gocode go run"),
    ] {
        if left_out(language, &output) {
            continue;
        }
        let folder = root.join("target/interop").join(language.to_lowercase());
        let blocks = blocks(fence)?;
        let code = blocks.first().ok_or(fence)?;
        fs::write(folder.join(file), code)?;
        let words = shell_words::split(command)?;
        let (program, arguments) = words.split_first().ok_or("no command")?;
        let program = if program.contains('/') { folder.join(program) } else { program.into() };
        let mut run = Command::new(program);
        run.args(arguments).arg(folder.join(file)).current_dir(root.join("openapi"));
        let mut running = run.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let body = br#"{"apikey":"a","appid":"b","uid":"c","data":{"amount":"19.99"}}"#;
        running.stdin.take().ok_or("no input")?.write_all(body)?;
        let ended = running.wait_with_output()?;
        let output = String::from_utf8(ended.stdout)?;
        assert!(ended.status.success() && output.contains("amount"), "{fence}: {output}");
    }
    Ok(())
}
