//! Sends a ledger through an outbox: every record once, whatever fails, with a report at the end.
//!
//! ```sh
//! cargo run -p business-data-connector-outbox --example ledger                            # a sandbox of its own
//! cargo run -p business-data-connector-outbox --example ledger -- --fault reset-after     # which fails at first
//! cargo run -p business-data-connector-outbox --example ledger -- books.json --uid UID    # with BDC_BASE_URL etc.
//! cargo run -p business-data-connector-outbox --example ledger -- income.csv --kind income
//! ```
//!
//! It can be stopped or killed at any time and started again: it goes on where it was. It exits with 0 if everything
//! is confirmed, with 2 if a person has to look at something, with 3 if something is still under way, and with 1 if
//! it could not do its work.

mod input;
mod money;
mod options;
mod report;
mod run;

use std::process::ExitCode;

use clap::Parser;
use options::Options;

#[tokio::main]
async fn main() -> ExitCode {
    match run::run(Options::parse()).await {
        Ok(done) => {
            print!("{}", done.report);
            done.report.exit_code()
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn with_fault(fault: &str) -> run::Done {
        let arguments = ["ledger", "--quiet", "0", "--fault", fault];
        run::run(Options::parse_from(arguments)).await.unwrap()
    }

    #[tokio::test]
    async fn both_sides_have_the_same_totals_to_the_cent_whatever_fails() {
        for fault in ["reset-after", "cut", "429=1", "504-after", "callback-late=200", "callback-duplicate"] {
            let done = with_fault(fault).await;
            let held = done.held.unwrap();
            assert!(!held.is_empty());
            assert_eq!(done.report.known_to_be_there_or_open(), held, "{fault}\n{}", done.report);
            // Whatever a pull can find is settled.
            for (operation, open) in done.report.open() {
                assert_eq!(open, 0, "{fault}: {operation}\n{}", done.report);
            }
        }
    }

    #[tokio::test]
    async fn a_second_run_sends_nothing_again() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().to_str().unwrap();
        let first = run::run(Options::parse_from(["ledger", "--data", data])).await.unwrap();
        let second = run::run(Options::parse_from(["ledger", "--data", data])).await.unwrap();
        assert_eq!(first.report.to_string(), second.report.to_string());
        assert!(second.held.unwrap().is_empty(), "the sandbox of the second run got nothing");
    }

    #[tokio::test]
    async fn a_misspelt_field_is_an_error_before_anything_is_enqueued() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("books.csv");
        std::fs::write(&file, "id,ammount\nINV-1,5\n").unwrap();
        let error = run::run(Options::parse_from(["ledger", file.to_str().unwrap()])).await.err().unwrap();
        assert!(error.to_string().contains("did you mean `amount`?"), "{error}");
    }
}
