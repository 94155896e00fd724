//! The options of the program.

use std::path::PathBuf;

use business_data_connector_sandbox::Fault;
use clap::Parser;

use crate::input;

#[derive(Parser)]
pub struct Options {
    /// The ledger: JSON with `sales`, `income`, `expenses` and `settlements`, or CSV with the fields of one kind
    #[arg(default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/ledger.json"))]
    pub ledger: PathBuf,
    /// What the rows of a CSV file are
    #[arg(long, value_enum, default_value_t = input::Kind::Income)]
    pub kind: input::Kind,
    /// The business
    #[arg(long, default_value = "demo-business")]
    pub uid: String,
    /// The folder with the outbox and the callbacks [default: a new one, which is removed at the end]
    #[arg(long)]
    pub data: Option<PathBuf>,
    /// Where callbacks are received
    #[arg(long, default_value = "127.0.0.1:0")]
    pub listen: String,
    /// Under which base URL the service reaches that; then BDC_CALLBACK_KEY is needed, 32 bytes or more
    #[arg(long)]
    pub public_url: Option<String>,
    /// How many seconds to wait before a record whose fate is not known is looked for, and again before the second time
    #[arg(long, default_value_t = 60)]
    pub quiet: u64,
    /// A fault that the own sandbox injects into the first requests, such as reset-after
    #[arg(long)]
    pub fault: Option<Fault>,
}
