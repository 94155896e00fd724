//! Shapes around a record, as in an application that stores requests.

use business_data_connector::types::IncomeRecord;
use serde::{Deserialize, Serialize};

/// A record among other members.
#[derive(Serialize, Deserialize, PartialEq, Debug)]
pub struct Flattened {
    /// Where it comes from.
    pub source: String,
    /// The record itself.
    #[serde(flatten)]
    pub record: IncomeRecord,
}

/// A record that is told from others by a member.
#[derive(Serialize, Deserialize, PartialEq, Debug)]
#[serde(tag = "kind")]
pub enum Tagged {
    /// Income.
    Income(IncomeRecord),
}

/// A record that is told from others by its form.
#[derive(Serialize, Deserialize, PartialEq, Debug)]
#[serde(untagged)]
pub enum Untagged {
    /// Income.
    Income(IncomeRecord),
}
