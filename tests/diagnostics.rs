//! What the compiler says about a mistake.

use std::{env, error::Error, fs, path::PathBuf, process::Command};

/// What rustc prints for a `main` with this statement.
fn errors(statement: &str) -> Result<String, Box<dyn Error>> {
    let libraries = env::current_exe()?.parent().ok_or("no folder")?.to_owned();
    let folder = tempfile::tempdir()?;
    let source = folder.path().join("main.rs");
    fs::write(
        &source,
        format!("use business_data_connector::{{Decimal, types::IncomeRecord}};\nfn main() {{ {statement} }}\n"),
    )?;
    let output = Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()))
        .args(["--edition=2024", "--emit=metadata", "--color=never", "--out-dir"])
        .arg(folder.path())
        .arg("-L")
        .arg(format!("dependency={}", libraries.display()))
        .arg("--extern")
        .arg(format!("business_data_connector={}", newest_library(&libraries)?.display()))
        .arg(&source)
        .output()?;
    Ok(String::from_utf8(output.stderr)?)
}

/// The library as it was built for this test: others in the folder have other features, or are older.
fn newest_library(folder: &PathBuf) -> Result<PathBuf, Box<dyn Error>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with("libbusiness_data_connector-") && name.ends_with(".rlib") {
            found.push((entry.metadata()?.modified()?, entry.path()));
        }
    }
    found.into_iter().max().map(|(_, path)| path).ok_or_else(|| "the library was not built".into())
}

#[test]
fn a_float_as_an_amount_is_rejected_with_what_to_write_instead() -> Result<(), Box<dyn Error>> {
    for statement in ["IncomeRecord::new().amount(19.99);", "IncomeRecord::new().maybe_vat(Some(0.5_f32));"] {
        let errors = errors(statement)?;
        for expected in [
            "does not convert to a `Decimal` exactly",
            "for a literal, write its digits as text: `Decimal::try_from(\"19.99\")?`",
            "for a float, write `Decimal::try_from(value)?`",
        ] {
            assert!(errors.contains(expected), "{errors}");
        }
        assert!(!errors.contains("Into<"), "{errors}");
    }
    Ok(())
}

#[test]
fn what_the_diagnostic_says_to_write_compiles() -> Result<(), Box<dyn Error>> {
    let statement = "let _ = || -> Result<_, Box<dyn std::error::Error>> {
        let cents = rust_decimal_of_the_crate::Decimal::new(1999, 2);
        let optional: Option<Decimal> = Some(Decimal::try_from(0.5)?);
        Ok(IncomeRecord::new().amount(Decimal::try_from(\"19.99\")?).maybe_vat(optional).amount(cents).vat(5))
    };";
    let statement = format!("use business_data_connector::rust_decimal as rust_decimal_of_the_crate; {statement}");
    assert_eq!(errors(&statement)?, "");
    Ok(())
}
