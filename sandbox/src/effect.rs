//! What each operation does, and what its callback then says. Assumed throughout: the crate's documentation lists it.
//!
//! An operation that is not named here stores the records that it carries and reports success.

use std::collections::BTreeMap;

use business_data_connector_document::Operation;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use crate::{
    Record, Refusal,
    kind::{self, Shape},
    store::{Business, BusinessData, Store},
};

/// The kind of the records in an uploaded file.
pub(crate) const UPLOADED: &str = "SettlementEntry";

/// A request that passed credentials and schema.
pub(crate) struct Accepted<'a> {
    pub(crate) operation: &'a Operation,
    pub(crate) shape: Option<&'a Shape>,
    pub(crate) uid: Option<&'a str>,
    pub(crate) data: Option<&'a RawValue>,
    /// The address of the sandbox itself, for upload addresses.
    pub(crate) base_url: &'a str,
}

/// What a callback says. The values are JSON text, so that no digit of a record is lost.
pub(crate) type Response = BTreeMap<&'static str, Box<RawValue>>;

/// Where uploaded files go, below the sandbox's own address.
pub(crate) const UPLOADS: &str = "/_sandbox/uploads";

fn upload_url(base_url: &str, uid: &str, upload: &str) -> String {
    format!("{base_url}{UPLOADS}/{uid}/{upload}")
}

/// Carries a request out and gives the `response` of its callback.
pub(crate) fn carry_out(store: &mut Store, request: &Accepted<'_>) -> Result<Response, Refusal> {
    effect(store, request).map_err(|reason| Refusal::bad_request(&request.operation.id, reason))
}

fn effect(store: &mut Store, request: &Accepted<'_>) -> Result<Response, String> {
    let id = request.operation.id.as_str();
    if id == "push_business" {
        return create(store, data(request)?);
    }
    let Some(uid) = request.uid else {
        return success();
    };
    let business = store
        .businesses
        .get_mut(uid)
        .ok_or("/uid: no business has this uid; create one, or use the one that the sandbox knows from the start")?;
    match id {
        "push_business_update" => {
            business.data.extend(members(data(request)?)?);
            success()
        }
        "push_reset" => {
            business.records.clear();
            success()
        }
        "push_settlement_file" => settle_file(business, uid, request),
        "pull_income" => response([("error", &false), ("income", &of_kind(business, "IncomeRecord"))]),
        "pull_expenses" => response([("error", &false), ("expenses", &of_kind(business, "ExpenseRecord"))]),
        "pull_insights" => response([("error", &false), ("records", &business.records.len())]),
        "pull_bank_feed" => {
            response([("error", &None::<bool>), ("transactions", &[(); 0]), ("hardrefreshing", &false)])
        }
        "pull_storage_upload_url" => {
            let upload = format!("upload-{}", business.uploads.len() + 1);
            let url = upload_url(request.base_url, uid, &upload);
            business.uploads.insert(upload.clone(), None);
            response([("error", &false), ("path", &upload), ("url", &url)])
        }
        _ => {
            if let (Some(shape), Some(data)) = (request.shape, request.data) {
                business.records.extend(shape.records(data).map_err(|e| format!("/data: {e}"))?);
            }
            success()
        }
    }
}

fn response<const N: usize>(members: [(&'static str, &dyn Json); N]) -> Result<Response, String> {
    members.into_iter().map(|(name, value)| Ok((name, value.json()?))).collect()
}

/// Anything that has a JSON text.
trait Json {
    fn json(&self) -> Result<Box<RawValue>, String>;
}

impl<T: Serialize> Json for T {
    fn json(&self) -> Result<Box<RawValue>, String> {
        to_raw_value(self).map_err(|e| e.to_string())
    }
}

fn success() -> Result<Response, String> {
    response([("error", &false), ("message", &"done")])
}

fn data<'a>(request: &Accepted<'a>) -> Result<&'a RawValue, String> {
    request.data.ok_or_else(|| "/data: is missing".to_owned())
}

fn members(data: &RawValue) -> Result<BusinessData, String> {
    serde_json::from_str(data.get()).map_err(|e| format!("/data: {e}"))
}

fn create(store: &mut Store, data: &RawValue) -> Result<Response, String> {
    let business = Business { data: members(data)?, ..Business::default() };
    let email = business.email();
    let known = store.businesses.iter().find(|(_, other)| email.is_some() && other.email() == email);
    let uid = match known.map(|(uid, _)| uid.clone()) {
        Some(uid) => uid,
        None => {
            let uid = store.issue("business");
            store.businesses.insert(uid.clone(), business);
            uid
        }
    };
    response([("error", &false), ("uid", &uid)])
}

fn settle_file(business: &mut Business, uid: &str, request: &Accepted<'_>) -> Result<Response, String> {
    let members = members(data(request)?)?;
    let url: Option<String> = members.get("url").and_then(|url| serde_json::from_str(url.get()).ok());
    let given = |upload: &String| url.as_ref().is_some_and(|url| *url == upload_url(request.base_url, uid, upload));
    let upload = business.uploads.keys().find(|upload| given(upload)).and_then(|upload| business.uploads.get(upload));
    match upload {
        None => Err("/data/url: is not an address that the upload-URL operation gave for this business".to_owned()),
        Some(None) => {
            Err("/data/url: nothing was uploaded there yet; PUT a JSON array of settlement entries".to_owned())
        }
        Some(Some(file)) => {
            business.records.extend(kind::list(UPLOADED, file).map_err(|e| e.to_string())?);
            success()
        }
    }
}

fn of_kind<'a>(business: &'a Business, kind: &str) -> Vec<&'a RawValue> {
    business.records.iter().filter(|record| record.kind() == kind).map(Record::data).collect()
}
