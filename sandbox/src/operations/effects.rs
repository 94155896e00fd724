//! What each operation does, and what its callback then reports. All of it is assumed; see the crate's documentation.
//!
//! An operation that is not named here stores the records that it carries and reports success.

use std::{collections::BTreeMap, time::Duration};

use axum::http::Uri;
use rusqlite::Connection;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use crate::{
    refusal::Reason,
    spec::{
        member::member,
        records::{Layout, RecordType},
    },
    store::{
        self, StoreError,
        tables::{self, Queued},
        uploads::{self, Address, Upload},
    },
};

/// The path below which files are uploaded.
pub(crate) const UPLOADS: &str = "/_sandbox/uploads";

/// How long an upload address is valid.
pub(crate) const UPLOAD_LIFETIME: Duration = Duration::from_secs(15 * 60);

/// What executing a request needs in addition to the request.
pub(crate) struct Context<'a> {
    /// Where the request's records are.
    pub(crate) layout: Option<&'a Layout>,
    /// The type of the records in an uploaded file.
    pub(crate) uploaded: &'a RecordType,
    /// The address of the sandbox, for upload addresses.
    pub(crate) base_url: &'a str,
    /// When an upload address issued now expires, in milliseconds since 1970.
    pub(crate) upload_expires: i64,
    /// Upload addresses that expired before are removed, in milliseconds since 1970.
    pub(crate) uploads_kept_from: i64,
}

/// Why a request could not be executed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum EffectError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the uploaded file no longer exists; request another upload address")]
    UploadMissing,
    #[error("the system provides no random numbers for a token: {0}")]
    Random(getrandom::Error),
}

impl From<serde_json::Error> for EffectError {
    fn from(error: serde_json::Error) -> Self {
        Self::Store(error.into())
    }
}

type Result<T, E = EffectError> = std::result::Result<T, E>;

/// The `response` of a callback. Its values are JSON text, so that no digit of a record is lost.
type Response = BTreeMap<&'static str, Box<RawValue>>;

/// Why a valid request is refused because of what is stored, if it is.
pub(crate) fn check_preconditions(db: &Connection, request: &Queued) -> store::Result<Option<Reason>> {
    let Some(uid) = &request.uid else { return Ok(None) };
    if tables::business(db, uid)?.is_none() {
        let expected = "the uid of a business that exists; create one, or use the demo business";
        return Ok(Some(Reason::new("/uid", "business", expected, "an unknown uid")));
    }
    if request.operation != "push_settlement_file" {
        return Ok(None);
    }
    let expected = "an upload address issued to this business, with a file uploaded to it";
    let got = match named_upload(db, uid, request)? {
        None => "an unknown address",
        Some(upload) if !upload.has_file => "an address without a file; PUT a JSON array of settlement entries to it",
        Some(_) => return Ok(None),
    };
    Ok(Some(Reason::new("/data/url", "upload", expected, got)))
}

/// Executes a request, and returns the `response` of its callback.
pub(crate) fn execute(db: &Connection, request: &Queued, context: &Context<'_>) -> Result<Box<RawValue>> {
    Ok(to_raw_value(&effect(db, request, context)?)?)
}

fn effect(db: &Connection, request: &Queued, context: &Context<'_>) -> Result<Response> {
    let operation = request.operation.as_str();
    let data = request.data.as_deref().unwrap_or("{}");
    if operation == "push_business" {
        let email = email(data);
        let known =
            email.as_deref().map(|email| tables::businesses_with_email(db, email)).transpose()?.unwrap_or_default();
        let uid = match known.into_iter().next() {
            Some(uid) => uid,
            None => tables::add_business(db, email.as_deref(), data)?,
        };
        return response([("error", &false), ("uid", &uid), ("token", &token()?)]);
    }
    if let Some(email) = &request.email {
        let uids = tables::businesses_with_email(db, email)?;
        return response([("error", &false), ("businesses", &uids)]);
    }
    let Some(uid) = request.uid.as_deref() else { return success() };
    match operation {
        "push_business_update" => {
            let mut merged = members(&tables::business(db, uid)?.unwrap_or_default())?;
            merged.extend(members(data)?);
            let text = serde_json::to_string(&merged)?;
            tables::update_business(db, uid, email(&text).as_deref(), &text)?;
            success()
        }
        "push_reset" => {
            tables::remove_records(db, uid)?;
            success()
        }
        "push_settlement_file" => {
            let upload = named_upload(db, uid, request)?.ok_or(EffectError::UploadMissing)?;
            let file = uploads::file(db, &upload)?.ok_or(EffectError::UploadMissing)?;
            context.uploaded.list(&file, &mut |records| tables::put_records(db, uid, records))?;
            success()
        }
        "pull_income" => response([("error", &false), ("income", &tables::records_of_type(db, uid, "IncomeRecord")?)]),
        "pull_expenses" => {
            response([("error", &false), ("expenses", &tables::records_of_type(db, uid, "ExpenseRecord")?)])
        }
        "pull_insights" => response([("error", &false), ("records", &tables::record_count(db, uid)?)]),
        "pull_bank_feed" => {
            response([("error", &None::<bool>), ("transactions", &[(); 0]), ("hardrefreshing", &false)])
        }
        "pull_storage_upload_url" => {
            let token = token()?;
            uploads::remove_expired(db, context.uploads_kept_from)?;
            let name = uploads::add_upload(db, uid, &token, context.upload_expires)?;
            // Its token alone permits the upload, as with a presigned address.
            let url = format!("{}{}", context.base_url, upload_path(uid, &name, &token));
            response([("error", &false), ("path", &name), ("url", &url)])
        }
        _ => {
            if let (Some(layout), Some(data)) = (context.layout, &request.data) {
                layout.records(data, &mut |records| tables::put_records(db, uid, records))?;
            }
            success()
        }
    }
}

fn upload_path(uid: &str, name: &str, token: &str) -> String {
    format!("{UPLOADS}/{uid}/{name}?token={token}")
}

/// A text that cannot be guessed.
fn token() -> Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(EffectError::Random)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The upload address in `data.url`; `None` for an unknown one. The host is not compared, since the sandbox may have
/// listened elsewhere when it issued the address.
fn named_upload(db: &Connection, uid: &str, request: &Queued) -> store::Result<Option<Upload>> {
    let url = member(request.data.as_deref().unwrap_or_default(), "url");
    let url = url.and_then(|url| serde_json::from_str::<String>(url.get()).ok());
    let Some(uri) = url.and_then(|url| url.parse::<Uri>().ok()) else { return Ok(None) };
    let name =
        uri.path().strip_prefix(UPLOADS).and_then(|path| path.strip_prefix('/')?.strip_prefix(uid)?.strip_prefix('/'));
    let token = uri.query().and_then(|query| query.strip_prefix("token="));
    match name.zip(token) {
        Some((name, token)) => uploads::upload(db, &Address { uid, name, token }),
        None => Ok(None),
    }
}

fn members(data: &str) -> serde_json::Result<BTreeMap<String, Box<RawValue>>> {
    serde_json::from_str(data)
}

fn email(data: &str) -> Option<String> {
    serde_json::from_str(member(data, "email")?.get()).ok()
}

fn success() -> Result<Response> {
    response([("error", &false), ("message", &"done")])
}

fn response<const N: usize>(members: [(&'static str, &dyn ToJson); N]) -> Result<Response> {
    members.into_iter().map(|(name, value)| Ok((name, value.to_json()?))).collect()
}

/// `Serialize` as a trait object.
trait ToJson {
    fn to_json(&self) -> serde_json::Result<Box<RawValue>>;
}

impl<T: Serialize> ToJson for T {
    fn to_json(&self) -> serde_json::Result<Box<RawValue>> {
        to_raw_value(self)
    }
}
