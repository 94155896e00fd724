//! A queue: stores requests of any operation as lines of JSON in a file, reads them back, and sends them.
//!
//! A request holds no credentials, so it can be stored wherever its records may be stored.
//!
//! ```sh
//! cargo run --example queue_and_send_later
//! cargo run --example queue_and_send_later -- UID    # for a business other than `demo-business`
//! ```

mod common;

use std::{
    fs::{self, File},
    io::{self, BufRead, BufReader, Write},
    path::Path,
    process::ExitCode,
};

use business_data_connector::{
    Connector, Decimal, Retry, Stored,
    types::{ExpenseRecord, IncomeRecord, PushExpenseRequest, PushIncomeRequest},
};

#[tokio::main]
async fn main() -> ExitCode {
    common::exit_code(run().await)
}

async fn run() -> Result<(), Box<dyn std::error::Error>> {
    let uid = std::env::args().nth(1).unwrap_or_else(|| "demo-business".to_owned());
    let connector = Connector::from_env()?;
    let path = std::env::temp_dir().join(format!("business-data-connector-queue-{}.jsonl", std::process::id()));

    let income = IncomeRecord::new().id("INV-3").currency("ZAR").amount(Decimal::try_from("100.10")?);
    let expense = ExpenseRecord::new().id("EXP-3").currency("ZAR").amount(Decimal::try_from("12.50")?);
    let queue =
        [Stored::new(&PushIncomeRequest::new(&uid, income))?, Stored::new(&PushExpenseRequest::new(&uid, expense))?];
    write(&path, &queue)?;
    print!("{} holds:\n{}", path.display(), fs::read_to_string(&path)?);

    // From here on it could be another process, at another time.
    let (later, manual) = send_all(&connector, read(&path)?).await;
    let remaining: Vec<_> = later.into_iter().chain(manual).collect();
    if remaining.is_empty() {
        fs::remove_file(&path)?;
        return Ok(());
    }
    write(&path, &remaining)?;
    Err(format!("{} of {} requests remain in {}", remaining.len(), queue.len(), path.display()).into())
}

/// Sends every request once. Returns those to send again later, and those that a person has to look at.
///
/// A queue that has to survive a crash also stores that a request is about to be sent: whether a write found in that
/// state was recorded is unknown, as after `Retry::CheckFirst`.
async fn send_all(connector: &Connector, queue: Vec<Stored>) -> (Vec<Stored>, Vec<Stored>) {
    let (mut later, mut manual) = (Vec::new(), Vec::new());
    for stored in queue {
        match connector.send_stored(&stored).await {
            Ok(reply) => println!("{}: {}", stored.operation(), reply.status()),
            Err(error) => match error.retry() {
                Retry::Now | Retry::After(_) => {
                    println!("to be sent again: {error}");
                    later.push(stored);
                }
                Retry::CheckFirst => {
                    println!("to be checked before it is sent again: {error}");
                    manual.push(stored);
                }
                _ => {
                    println!("to be corrected: {error} {}", error.message().unwrap_or_default());
                    manual.push(stored);
                }
            },
        }
    }
    (later, manual)
}

fn write(path: &Path, queue: &[Stored]) -> io::Result<()> {
    let mut file = File::create(path)?;
    for stored in queue {
        writeln!(file, "{}", serde_json::to_string(stored)?)?;
    }
    file.sync_all()
}

fn read(path: &Path) -> Result<Vec<Stored>, Box<dyn std::error::Error>> {
    let lines = BufReader::new(File::open(path)?).lines();
    lines.map(|line| Ok(serde_json::from_str(&line?)?)).collect()
}
