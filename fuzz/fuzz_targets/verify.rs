//! No path but that of a genuine address is accepted.

#![no_main]

use std::sync::LazyLock;

use business_data_connector::callback::{CallbackAddress, CallbackEndpoint, CallbackKey};
use libfuzzer_sys::fuzz_target;

static GENUINE: LazyLock<(CallbackEndpoint, CallbackAddress)> = LazyLock::new(|| {
    let key = CallbackKey::new(1, b"a secret of the fuzz targets").unwrap();
    let endpoint = CallbackEndpoint::new("https://partner.example", key).unwrap();
    let address = endpoint.address_for("push_income", Some("demo-business")).unwrap();
    (endpoint, address)
});

fuzz_target!(|data: &[u8]| {
    let (endpoint, address) = &*GENUINE;
    let text = String::from_utf8_lossy(data);
    // Nobody guesses a MAC of 128 bits.
    assert!(endpoint.verify(&text, "").is_err());
    assert!(endpoint.verify(&format!("/cb1_{text}"), "").is_err());
    // A position and a byte change one byte of the genuine path; the rest of the input is put after it.
    if let [position, byte, rest @ ..] = data {
        let mut path = address.path().as_bytes().to_vec();
        let position = usize::from(*position) % path.len();
        let changed = path[position] != *byte;
        path[position] = *byte;
        path.extend_from_slice(rest);
        let path = String::from_utf8_lossy(&path);
        match endpoint.verify(&path, "") {
            Ok(callback) => assert_eq!(callback.id(), address.id(), "{path}"),
            Err(_) => assert!(changed || !rest.is_empty(), "{path}"),
        }
    }
});
