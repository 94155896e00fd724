//! The table in the rustdoc of [`Error`] is what a write and a read really get, for every fault of the sandbox.

mod support;

use std::{fmt::Write, fs, path::Path};

use business_data_connector::{Connector, Error, Reply, Retry, RetryPolicy, types::IncomeRecord};
use business_data_connector_sandbox::{
    DEMO_APIKEY, DEMO_APPID, DEMO_BUSINESS, DEMO_HEADER_KEY, Fault, FaultRule, Sandbox,
};
use support::TestResult;

const MARKERS: [&str; 2] = ["/// <!-- faults: checked by tests/fault_table.rs -->\n", "/// <!-- faults end -->"];

fn connector(base_url: &str) -> Result<Connector, Error> {
    Connector::builder()
        .base_url(base_url)
        .credentials(DEMO_APIKEY, DEMO_APPID)
        .header_key(DEMO_HEADER_KEY)
        .retry_policy(RetryPolicy::never())
        .build()
}

/// A write and a read, as cells of the table.
async fn row(base_url: &str) -> Result<[String; 2], Error> {
    let connector = connector(base_url)?;
    let write = connector.push_income(DEMO_BUSINESS, IncomeRecord::new().id("INV-1")).await;
    let read = connector.verify_apikey().await;
    Ok([cell(write), cell(read)])
}

fn cell(result: Result<Reply, Error>) -> String {
    let Err(error) = result else { return "`Ok`".to_owned() };
    let variant = format!("{error:?}").split([' ', '{', '(']).next().unwrap_or_default().to_owned();
    let retry = match error.retry() {
        Retry::After(delay) => format!("After({} s)", delay.as_secs()),
        retry => format!("{retry:?}"),
    };
    format!("`{variant}`, `{retry}`")
}

#[tokio::test]
async fn the_table_of_faults_is_what_a_caller_gets() -> TestResult {
    let mut table = String::new();
    let mut line = |what: String, [write, read]: [String; 2]| writeln!(table, "/// | {what} | {write} | {read} |");
    line("what goes wrong".to_owned(), ["a write gets".to_owned(), "a read gets".to_owned()])?;
    line("---".to_owned(), ["---".to_owned(), "---".to_owned()])?;
    // What happens to a callback is not part of a reply, and a delay alone is no error.
    let skipped = |syntax: &str| syntax.starts_with("callback") || syntax.starts_with("latency");
    for (syntax, _) in Fault::SYNTAX.iter().filter(|(syntax, _)| !skipped(syntax)) {
        let fault = syntax.replace("SECONDS", "7").parse::<Fault>()?;
        let sandbox = Sandbox::builder().fault(FaultRule::new(fault).times(2)).start().await?;
        line(format!("the fault `{syntax}`"), row(sandbox.base_url()).await?)?;
        sandbox.stop().await?;
    }
    let sandbox = Sandbox::start().await?;
    line("the base URL has a wrong path".to_owned(), row(&format!("{}/elsewhere", sandbox.base_url())).await?)?;
    line("nobody listens at the base URL".to_owned(), row("http://127.0.0.1:1").await?)?;
    if cfg!(feature = "rustls") {
        let https = sandbox.base_url().replace("http://", "https://");
        line("the base URL is https, its port speaks http".to_owned(), row(&https).await?)?;
    }

    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/error/mod.rs");
    let source = fs::read_to_string(&path)?.replace("\r\n", "\n");
    let [begin, end] = MARKERS.map(|marker| source.find(marker));
    let begin = begin.ok_or("src/error/mod.rs has no marker of the table")? + MARKERS[0].len();
    let end = end.ok_or("src/error/mod.rs has no marker of the end of the table")?;
    let documented = &source[begin..end];
    let expected = format!("///\n{table}///\n");
    if documented != expected && std::env::var_os("BDC_UPDATE_FAULT_TABLE").is_some() {
        fs::write(path, format!("{}{expected}{}", &source[..begin], &source[end..]))?;
        return Ok(());
    }
    assert_eq!(documented, expected, "to update it: BDC_UPDATE_FAULT_TABLE=1 cargo test --test fault_table");
    Ok(())
}
