//! The conformance suite on the store in a SQLite file.

#![allow(clippy::unwrap_used, clippy::panic, reason = "the helpers of a test may fail it, as the test may")]

#[path = "conformance/mod.rs"]
mod suite;

use business_data_connector_outbox::testing::sqlite_store;
use suite::bench::{Bench, TestResult};

/// One test for each case.
macro_rules! on_sqlite {
    ($($module:ident :: $case:ident),* $(,)?) => { $(
        #[tokio::test]
        async fn $case() -> TestResult {
            let folder = tempfile::tempdir()?;
            suite::$module::$case(&Bench::new(sqlite_store(&folder.path().join("outbox.db"))?)).await
        }
    )* };
}

suite::each_case!(on_sqlite);
