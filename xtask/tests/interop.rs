//! A vector with a wrong verdict is found by every language's validators, which say which one it is.

use std::{error::Error, fs, path::Path, process::Command};

use serde_json::Value;

#[test]
#[ignore = "needs what `cargo xtask interop` installs"]
fn a_wrong_vector_is_named_by_every_language() -> Result<(), Box<dyn Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize()?;
    let copy = tempfile::tempdir()?;
    for folder in ["", "schemas", "vectors"] {
        fs::create_dir_all(copy.path().join(folder))?;
        for entry in fs::read_dir(root.join("openapi").join(folder))? {
            let entry = entry?;
            if entry.file_type()?.is_file() {
                fs::copy(entry.path(), copy.path().join(folder).join(entry.file_name()))?;
            }
        }
    }
    let file = copy.path().join("vectors/push_income.json");
    let mut vectors: Vec<Value> = serde_json::from_slice(&fs::read(&file)?)?;
    let wrong = vectors.iter_mut().find(|vector| vector["why"] == "`data.amount` is of the wrong type");
    wrong.ok_or("no such vector")?["valid"] = true.into();
    fs::write(&file, serde_json::to_vec(&vectors)?)?;

    let mut interop = Command::new(env!("CARGO_BIN_EXE_xtask"));
    interop.args(["interop", "--kind", "validators", "--openapi"]).arg(copy.path()).current_dir(&root);
    let output = interop.output()?;
    let said = String::from_utf8(output.stdout)?;
    assert!(!output.status.success(), "{said}");
    for entry in fs::read_dir(root.join("tests/interop"))? {
        let Ok(plan) = fs::read_to_string(entry?.path().join("interop.toml")) else { continue };
        let plan: Value = toml_edit::de::from_str(&plan)?;
        let language = plan["language"].as_str().ok_or("no language")?;
        let red = said.split(&format!("{language}: validators: ")).nth(1).unwrap_or_default();
        let red = red.split("validators: ").next().unwrap_or_default();
        let named =
            red.contains("red: ") && red.contains("vectors/push_income.json: `data.amount` is of the wrong type");
        assert!(named || said.contains(&format!("left out: {language}")), "{language}: {said}");
    }
    Ok(())
}
