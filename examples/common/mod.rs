//! How the examples end: with a message that says what to do, and the exit code that goes with it.

use std::{error::Error, process::ExitCode};

const HINT: &str = "set BDC_BASE_URL, BDC_APIKEY, BDC_APPID and BDC_HEADER_KEY; to try it without a service, run \
                    `cargo run -p business-data-connector-sandbox` in another terminal and set them to http://127.0.0.1:4010, \
                    demo-apikey, demo-appid and demo-header-key";

/// Prints an error with its causes. If the environment is not set up, it prints how to set it up instead.
pub fn exit_code(result: Result<(), Box<dyn Error>>) -> ExitCode {
    let Err(error) = result else { return ExitCode::SUCCESS };
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    if !["BDC_BASE_URL", "BDC_APIKEY", "BDC_APPID"].into_iter().all(is_set) {
        eprintln!("{HINT}");
        return ExitCode::FAILURE;
    }
    eprintln!("{error}");
    let mut cause = error.source();
    while let Some(error) = cause {
        eprintln!("  caused by: {error}");
        cause = error.source();
    }
    ExitCode::FAILURE
}
