//! Other languages: a wrong vector is detected and named, and the instructions in `openapi/languages/` are tested ones.

mod support;

use std::{
    collections::{BTreeMap, BTreeSet},
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

/// The `interop.toml` of each language, by the name of its folder and of its page.
fn plans() -> Fallible<BTreeMap<String, Value>> {
    let mut plans = BTreeMap::new();
    for entry in fs::read_dir(root()?.join("tests/interop"))? {
        let entry = entry?;
        if let Ok(plan) = fs::read_to_string(entry.path().join("interop.toml")) {
            plans.insert(entry.file_name().to_string_lossy().into_owned(), toml_edit::de::from_str(&plan)?);
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
    for plan in plans()?.values().filter(|plan| validates(plan)) {
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

/// A code block of a page.
struct Block {
    fence: String,
    code: String,
}

/// The code blocks in a section of the page of a language.
fn blocks(language: &str, section: &str) -> Fallible<Vec<Block>> {
    let path = format!("openapi/languages/{language}.md");
    let page = fs::read_to_string(root()?.join(&path)).map_err(|error| format!("{path}: {error}"))?;
    let begin = format!("\n## {section}\n");
    let section = page.split_once(&begin).ok_or_else(|| format!("{path}: has no section {section}"))?.1;
    let section = section.split("\n## ").next().unwrap_or_default();
    let fenced = section.split("\n```").skip(1).step_by(2).filter_map(|block| block.split_once('\n'));
    Ok(fenced.map(|(fence, code)| Block { fence: fence.to_owned(), code: code.to_owned() + "\n" }).collect())
}

/// The program in a section of the page of a language.
fn program(language: &str, section: &str) -> Fallible<String> {
    let programs = blocks(language, section)?.into_iter().filter(|block| block.fence != "sh");
    let [Block { code, .. }] = <[Block; 1]>::try_from(programs.collect::<Vec<_>>())
        .map_err(|programs| format!("{language}: {} programs in {section}", programs.len()))?;
    Ok(code)
}

/// The commands of the checks of these kinds.
fn commands<'a>(plan: &'a Value, kinds: &[&str]) -> Vec<&'a str> {
    let checks = plan["check"].as_array().into_iter().flatten();
    let checks = checks.filter(|check| check["kind"].as_str().is_some_and(|kind| kinds.contains(&kind)));
    checks.flat_map(|check| check["run"].as_array().into_iter().flatten().filter_map(Value::as_str)).collect()
}

/// Whether it has a validator.
fn validates(plan: &Value) -> bool {
    !commands(plan, &["validators"]).is_empty()
}

#[test]
fn the_commands_of_the_pages_are_tested() -> TestResult {
    // Without the folders of programs and files, which differ.
    let words = |command: &str| -> Fallible<BTreeSet<String>> {
        let words = shell_words::split(command)?.into_iter();
        Ok(words
            .map(|word| word.replace("$BDC_OPENAPI/", "").replace("venv/bin/", "").replace("node_modules/.bin/", ""))
            .collect())
    };
    for (language, plan) in plans()? {
        let generators = commands(&plan, &["types", "clients"]).into_iter();
        let generators = generators.filter(|command| command.contains("$BDC_OPENAPI/"));
        let tested = generators.map(words).collect::<Fallible<Vec<_>>>()?;
        let mut shown = Vec::new();
        for section in ["Types", "Client"] {
            for block in blocks(&language, section)?.into_iter().filter(|block| block.fence == "sh") {
                let lines = block.code.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
                shown.extend(lines.map(words).collect::<Fallible<Vec<_>>>()?);
            }
        }
        for command in &tested {
            // A tested command may have more words, such as a configuration file.
            assert!(shown.iter().any(|shown| shown.is_subset(command)), "not on the page of {language}: {command:?}");
        }
        assert_eq!(shown.len(), tested.len(), "{language}");
    }
    Ok(())
}

/// The pinned versions of the validators that are run, by package.
fn validators(language: &str) -> Fallible<BTreeMap<String, String>> {
    let read = |file: &str| -> Fallible<String> {
        Ok(fs::read_to_string(root()?.join("tests/interop").join(language).join(file))?)
    };
    if language == "python" {
        let requirements = read("requirements.txt")?;
        let pins = requirements.lines().skip_while(|line| *line != "# For validate.py.").skip(1);
        let pins = pins.map_while(|line| line.split_once("=="));
        return Ok(pins.map(|(name, version)| (name.replace('_', "-"), version.to_owned())).collect());
    }
    let package: Value = serde_json::from_str(&read("package.json")?)?;
    let pins = package["devDependencies"].as_object().ok_or("no dependencies")?;
    let imported = read("validators.mjs")?;
    let imported = |name: &str| ["\"", "/"].iter().any(|end| imported.contains(&format!(" from \"{name}{end}")));
    let pins = pins.iter().filter(|(name, _)| imported(name));
    Ok(pins.map(|(name, version)| (name.clone(), version.as_str().unwrap_or_default().to_owned())).collect())
}

#[test]
fn the_validators_of_the_pages_are_those_that_are_run() -> TestResult {
    for language in ["python", "typescript"] {
        let page = fs::read_to_string(root()?.join(format!("openapi/languages/{language}.md")))?;
        let section = page.split("\n## ").find(|section| section.starts_with("Validate\n")).ok_or("no section")?;
        let rows = section.lines().skip_while(|line| *line != "|---|---|").skip(1);
        let tools = rows.map_while(|row| row.strip_prefix("| ")?.split(" | ").next());
        let shown: BTreeSet<String> = tools.flat_map(|tools| tools.split(", ").map(str::to_owned)).collect();
        let tested = validators(language)?.into_iter().map(|(name, version)| {
            let shortened = version.rsplit_once('.').map_or(version.as_str(), |(shortened, _)| shortened);
            format!("{name} {shortened}")
        });
        assert_eq!(shown, tested.collect(), "{language}");
    }
    Ok(())
}

#[test]
fn the_receivers_of_the_pages_are_those_that_are_tested() -> TestResult {
    for (language, plan) in plans()? {
        let folder = root()?.join("tests/interop").join(&language);
        let commands = commands(&plan, &["receivers"]);
        let mut words = commands.iter().flat_map(|command| command.split(' '));
        let file = words
            .find(|word| word.to_lowercase().starts_with("receiver."))
            .ok_or_else(|| format!("{language}: no receiver"))?;
        let tested = fs::read_to_string(folder.join(file))?;
        assert_eq!(program(&language, "Receive callbacks")?, tested, "{language}");
    }
    Ok(())
}

#[test]
fn every_page_is_in_the_overview() -> TestResult {
    let readme = fs::read_to_string(root()?.join("openapi/README.md"))?;
    let mut pages = 0;
    for entry in fs::read_dir(root()?.join("openapi/languages"))? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        assert!(readme.contains(&format!("](languages/{name}) |")), "{name}");
        pages += 1;
    }
    assert_eq!(readme.matches("](languages/").count(), pages);
    Ok(())
}

#[test]
#[ignore = "requires the tools of `cargo xtask interop`, and exclusive use of its folders: --test-threads 1"]
fn the_programs_of_the_pages_validate_a_body_and_keep_every_digit() -> TestResult {
    let root = root()?;
    let (passed, output) = validated(&root.join("openapi"))?;
    assert!(passed, "{output}");
    for (language, plan) in plans()?.into_iter().filter(|(_, plan)| validates(plan)) {
        let (file, command) = match language.as_str() {
            "python" => ("page.py", "venv/bin/python"),
            "typescript" => ("page.mjs", "node"),
            "php" => ("page.php", "php"),
            "ruby" => ("page.rb", "ruby"),
            "go" => ("page.go", "env GO111MODULE=off GOPATH=/usr/share/gocode go run"),
            other => return Err(format!("{other}: this test does not know how to run it").into()),
        };
        if left_out(plan["language"].as_str().ok_or("no language")?, &output) {
            continue;
        }
        let folder = root.join("target/interop").join(&language);
        for (section, expected) in [("Validate", "amount"), ("Exact amounts", "12345678901234567.10")] {
            // Not every language needs code for amounts.
            if section == "Exact amounts" && blocks(&language, section)?.is_empty() {
                continue;
            }
            fs::write(folder.join(file), program(&language, section)?)?;
            let words = shell_words::split(command)?;
            let (program, arguments) = words.split_first().ok_or("no command")?;
            let program = if program.contains('/') { folder.join(program) } else { program.into() };
            let mut run = Command::new(program);
            run.args(arguments).arg(folder.join(file)).current_dir(root.join("openapi"));
            let mut running = run.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
            let body = br#"{"apikey":"a","appid":"b","uid":"c","data":{"amount":"19.99"}}"#;
            // A program that does not read its input may have ended.
            let _ = running.stdin.take().ok_or("no input")?.write_all(body);
            let ended = running.wait_with_output()?;
            let output = String::from_utf8(ended.stdout)?;
            assert!(ended.status.success() && output.contains(expected), "{language}: {section}: {output}");
        }
    }
    Ok(())
}
