use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

/// A record as it was pushed.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # use business_data_connector::{Connector, types::IncomeRecord};
/// # use business_data_connector_sandbox::{DEMO_APIKEY, DEMO_APPID, DEMO_BUSINESS, Sandbox};
/// let sandbox = Sandbox::start().await?;
/// # let connector = Connector::builder().base_url(sandbox.base_url()).credentials(DEMO_APIKEY, DEMO_APPID).build()?;
/// connector.push_income(DEMO_BUSINESS, IncomeRecord::new().id("INV-1").amount(5)).await?;
/// let records = sandbox.records(DEMO_BUSINESS)?;
/// assert_eq!((records[0].record_type(), records[0].id()), ("IncomeRecord", Some("INV-1")));
/// let income: IncomeRecord = records[0].json()?;
/// assert_eq!(income.amount, Some(5.into()));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct Record {
    pub(crate) record_type: String,
    pub(crate) id: Option<String>,
    pub(crate) data: Box<RawValue>,
}

impl Record {
    /// The name of the record's schema in the document, such as `IncomeRecord`; `kind` in the inspection API.
    #[doc(alias = "kind")]
    pub fn record_type(&self) -> &str {
        &self.record_type
    }

    /// The record's `id`, if it has one. A record of the same type and `id` replaces it.
    pub fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// The JSON text, with every digit as it was sent.
    pub fn as_str(&self) -> &str {
        self.data.get()
    }

    /// Deserializes the record.
    ///
    /// # Errors
    /// When the record is not a `T`.
    pub fn json<T: DeserializeOwned>(&self) -> serde_json::Result<T> {
        serde_json::from_str(self.data.get())
    }
}
