//! What is measured.

use std::time::Duration;

use clap::ValueEnum;

/// A request, or what is done with the records of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Case {
    /// One record is pushed.
    Small,
    /// One request with 100 records.
    Hundred,
    /// One request with 10,000 records.
    Bulk,
    /// 2,000 records are written as JSON text.
    Write,
    /// 2,000 records are read from JSON text.
    Read,
}

impl Case {
    /// How many records there are.
    pub fn records(self) -> usize {
        match self {
            Self::Small => 1,
            Self::Hundred => 100,
            Self::Bulk => 10_000,
            Self::Write | Self::Read => 2_000,
        }
    }
}

/// The business that all records belong to.
pub const UID: &str = "demo-business";
/// The API key, which the server does not check.
pub const APIKEY: &str = "demo-apikey";
/// The application identifier, which the server does not check.
pub const APPID: &str = "demo-appid";
/// The time that a call may take.
pub const TIMEOUT: Duration = Duration::from_secs(30);

/// The texts of a record, in the alphabetical order of their fields.
pub fn texts(number: usize) -> [String; 8] {
    [
        "Sales: products".to_owned(),
        "ZAR".to_owned(),
        "2026-03-31".to_owned(),
        format!("FEE-{number}"),
        format!("INV-{number}"),
        format!("Invoice {number} of the month"),
        "Paid by card, thank you".to_owned(),
        format!("P-{number}"),
    ]
}

/// An amount and its VAT, in cents.
pub fn cents(number: usize) -> [u32; 2] {
    let amount = u32::try_from(number * 7_919 % 1_000_000).unwrap_or_default() + 100;
    [amount, amount * 15 / 115]
}
