//! What each operation does, and what its callback then says. Assumed throughout: the crate's documentation lists it.
//!
//! An operation that is not named here stores the records that it carries and reports success.

use std::{collections::BTreeMap, time::Duration};

use axum::http::Uri;
use rusqlite::Connection;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use crate::{
    Reason, Record,
    clock::{millis, now},
    kind::{Kind, Shape},
    store::tables::{self, Queued, Upload},
};

/// The kind of the records in an uploaded file.
pub(crate) const UPLOADED: &str = "SettlementEntry";

/// Where uploaded files go, below the sandbox's own address.
pub(crate) const UPLOADS: &str = "/_sandbox/uploads";

/// What an effect needs to know beside the request.
pub(crate) struct Surroundings<'a> {
    pub(crate) shape: Option<&'a Shape>,
    pub(crate) uploaded: &'a Kind,
    /// The address of the sandbox itself, for upload addresses.
    pub(crate) base_url: &'a str,
    /// How long an upload address may be used.
    pub(crate) upload_time: Duration,
}

/// What a callback says. The values are JSON text, so that no digit of a record is lost.
type Response = BTreeMap<&'static str, Box<RawValue>>;

/// What stands in the way of a request that its schema takes; `None` when nothing does. It is asked before the answer.
pub(crate) fn objection(db: &Connection, request: &Queued) -> rusqlite::Result<Option<Reason>> {
    let Some(uid) = &request.uid else { return Ok(None) };
    if tables::business(db, uid)?.is_none() {
        let expected = "the uid of a business; create one, or use the one that the sandbox knows from the start";
        return Ok(Some(Reason::new("/uid", "business", expected, "one of none")));
    }
    if request.operation != "push_settlement_file" {
        return Ok(None);
    }
    let expected = "an address that the upload-URL operation gave for this business, with a file put there";
    let got = match uploaded_file(db, uid, request)? {
        None => "another address",
        Some(None) => "one where nothing was put yet; PUT a JSON array of settlement entries",
        Some(Some(_)) => return Ok(None),
    };
    Ok(Some(Reason::new("/data/url", "upload", expected, got)))
}

/// Carries a request out and gives the `response` of its callback.
pub(crate) fn carry_out(
    db: &Connection,
    request: &Queued,
    around: &Surroundings<'_>,
) -> rusqlite::Result<Box<RawValue>> {
    to_raw_value(&effect(db, request, around)?).map_err(unexpected)
}

fn effect(db: &Connection, request: &Queued, around: &Surroundings<'_>) -> rusqlite::Result<Response> {
    let operation = request.operation.as_str();
    let data = request.data.as_deref().unwrap_or("{}");
    if operation == "push_business" {
        let members = members(data)?;
        let email = email(&members);
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
            let text = serde_json::to_string(&merged).map_err(unexpected)?;
            tables::update_business(db, uid, email(&merged).as_deref(), &text)?;
            success()
        }
        "push_reset" => {
            tables::remove_records(db, uid)?;
            success()
        }
        "push_settlement_file" => {
            let Some(Some(file)) = uploaded_file(db, uid, request)? else {
                return Err(rusqlite::Error::ToSqlConversionFailure("the file is not there any more".into()));
            };
            put(db, uid, &around.uploaded.list(&file).map_err(unexpected)?)?;
            success()
        }
        "pull_income" => response([("error", &false), ("income", &of_kind(db, uid, "IncomeRecord")?)]),
        "pull_expenses" => response([("error", &false), ("expenses", &of_kind(db, uid, "ExpenseRecord")?)]),
        "pull_insights" => response([("error", &false), ("records", &tables::records(db, uid)?.len())]),
        "pull_bank_feed" => {
            response([("error", &None::<bool>), ("transactions", &[(); 0]), ("hardrefreshing", &false)])
        }
        "pull_storage_upload_url" => {
            let token = token()?;
            let expires = now().saturating_add(millis(around.upload_time));
            let name = tables::add_upload(db, uid, &token, expires)?;
            response([("error", &false), ("path", &name), ("url", &upload_url(around.base_url, uid, &name, &token))])
        }
        _ => {
            if let (Some(shape), Some(data)) = (around.shape, &request.data) {
                put(db, uid, &shape.records(data).map_err(unexpected)?)?;
            }
            success()
        }
    }
}

fn put(db: &Connection, uid: &str, records: &[Record]) -> rusqlite::Result<()> {
    records.iter().try_for_each(|record| tables::put_record(db, uid, record))
}

fn of_kind(db: &Connection, uid: &str, kind: &str) -> rusqlite::Result<Vec<Box<RawValue>>> {
    let records = tables::records(db, uid)?.into_iter();
    Ok(records.filter(|record| record.kind == kind).map(|record| record.data).collect())
}

/// As a presigned address: whoever has it may put a file there.
fn upload_url(base_url: &str, uid: &str, name: &str, token: &str) -> String {
    format!("{base_url}{}", upload_path(uid, name, token))
}

fn upload_path(uid: &str, name: &str, token: &str) -> String {
    format!("{UPLOADS}/{uid}/{name}?token={token}")
}

/// Nobody can guess it.
fn token() -> rusqlite::Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|e| rusqlite::Error::ToSqlConversionFailure(e.to_string().into()))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The file that `data.url` names: `None` for an address that was not given, `Some(None)` before anything was put there. The
/// sandbox may have listened elsewhere when it gave it.
fn uploaded_file(db: &Connection, uid: &str, request: &Queued) -> rusqlite::Result<Option<Option<String>>> {
    let members = members(request.data.as_deref().unwrap_or("{}"))?;
    let url: Option<String> = members.get("url").and_then(|url| serde_json::from_str(url.get()).ok());
    let path = url.and_then(|url| url.parse::<Uri>().ok()?.path_and_query().map(ToString::to_string));
    let asked = |upload: &Upload| path.as_ref() == Some(&upload_path(uid, &upload.name, &upload.token));
    Ok(tables::uploads(db, uid)?.into_iter().find(asked).map(|upload| upload.file))
}

fn members(data: &str) -> rusqlite::Result<BTreeMap<String, Box<RawValue>>> {
    serde_json::from_str(data).map_err(unexpected)
}

fn email(members: &BTreeMap<String, Box<RawValue>>) -> Option<String> {
    serde_json::from_str(members.get("email")?.get()).ok()
}

fn success() -> rusqlite::Result<Response> {
    response([("error", &false), ("message", &"done")])
}

fn response<const N: usize>(members: [(&'static str, &dyn Json); N]) -> rusqlite::Result<Response> {
    members.into_iter().map(|(name, value)| Ok((name, value.json()?))).collect()
}

/// Anything that has a JSON text.
trait Json {
    fn json(&self) -> rusqlite::Result<Box<RawValue>>;
}

impl<T: Serialize> Json for T {
    fn json(&self) -> rusqlite::Result<Box<RawValue>> {
        to_raw_value(self).map_err(unexpected)
    }
}

/// What the schema does not let through, and what was written here itself, can be read.
fn unexpected(error: serde_json::Error) -> rusqlite::Error {
    rusqlite::Error::ToSqlConversionFailure(error.into())
}
