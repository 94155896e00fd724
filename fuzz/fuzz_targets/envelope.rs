//! No body makes the reader of callbacks panic, and none is lost.

#![no_main]

use std::sync::LazyLock;

use business_data_connector::{
    Asynchronous,
    callback::{CallbackAddress, CallbackEndpoint, CallbackError, CallbackKey},
    types::{ExpenseRecord, IncomeRecord, PullIncomeRequest},
};
use libfuzzer_sys::fuzz_target;

static GENUINE: LazyLock<(CallbackEndpoint, CallbackAddress)> = LazyLock::new(|| {
    let key = CallbackKey::new(1, b"a secret of the fuzz targets").unwrap();
    let endpoint = CallbackEndpoint::new("https://partner.example", key).unwrap();
    let address = endpoint.address_for("pull_income", Some("demo-business")).unwrap();
    (endpoint, address)
});

fuzz_target!(|body: &[u8]| {
    let (endpoint, address) = &*GENUINE;
    let callback = match endpoint.verify(address.path(), body.to_vec()) {
        Ok(callback) => callback,
        Err(CallbackError::Contradicted { callback, .. }) => *callback,
        Err(error) => panic!("{error}"),
    };
    assert_eq!(&callback.bytes()[..], body);
    assert_eq!((callback.operation_id(), callback.id()), ("pull_income", address.id()));
    let _ = (callback.status(), callback.date(), callback.timestamp(), callback.message(), callback.is_interim());
    let _ = (callback.is_failure(), callback.signature_echo(), callback.received_type(), format!("{callback:?}"));
    let _ = callback.response::<<PullIncomeRequest as Asynchronous>::Response>();
    let _ = (callback.records::<IncomeRecord>(), callback.records::<ExpenseRecord>());
    if let Some(response) = callback.response_bytes() {
        // It is a part of the body, not a copy.
        assert!(body.windows(response.len().max(1)).any(|part| part == &response[..]) || response.is_empty());
    }
});
