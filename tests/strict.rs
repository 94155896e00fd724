//! Keys that no field has are reported by the strict reader, all of them, with their location and the likely field.

// Also outside of the tests themselves, in what they share.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use business_data_connector::{
    strict::{self, Error, Location},
    types::{BusinessData, IncomeRecord, ManyRecords, PushIncomeRequest, SaleRecord},
};
use serde::Deserialize;

fn problem<T: serde::de::DeserializeOwned>(json: &str) -> String {
    strict::from_str::<T>(json).map(|_| ()).unwrap_err().to_string()
}

#[test]
fn a_misspelt_key_is_named_with_its_location_and_the_field_that_was_meant() {
    assert_eq!(
        problem::<IncomeRecord>("{\n\"id\": \"M\",\n\"ammount\": 19.99\n}"),
        "unknown key `ammount` at /ammount (line 3); did you mean `amount`?"
    );
    for (key, meant) in [
        ("Amount", Some("amount")),
        ("amonut", Some("amount")),
        ("feeId", Some("feeid")),
        ("currency ", Some("currency")),
        ("colour", None),
        ("", None),
        ("a~b/c", None),
    ] {
        let error = strict::from_str::<IncomeRecord>(&format!(r#"{{"{key}":1}}"#)).unwrap_err();
        let [unknown] = error.unknown_keys() else { panic!("{error}") };
        assert_eq!((unknown.key.as_str(), unknown.suggestion), (key, meant));
    }
    let slash = strict::from_str::<IncomeRecord>(r#"{"a~b/c":1}"#).unwrap_err();
    assert_eq!(slash.unknown_keys()[0].location, Location::Json { pointer: "/a~0b~1c".to_owned(), line: 1 });
}

#[test]
fn every_unknown_key_is_in_one_error_at_any_depth() {
    let sale =
        r#"{"id":"S","items":[{"price":1},{"colour":"red","quantty":2}],"payment":{"ammount":5},"x":{"amount":1}}"#;
    let error = strict::from_str::<Vec<SaleRecord>>(&format!("[{{}},\n{sale}]")).unwrap_err();
    let found: Vec<_> = error.unknown_keys().iter().map(|key| (key.location.to_string(), key.suggestion)).collect();
    assert_eq!(
        found,
        [
            ("at /1/items/1/colour (line 2)".to_owned(), None),
            ("at /1/items/1/quantty (line 2)".to_owned(), Some("quantity")),
            ("at /1/payment/ammount (line 2)".to_owned(), Some("amount")),
            ("at /1/x (line 2)".to_owned(), None),
        ]
    );
    let request = r#"{"uid":"u","data":{"amount":1,"vatt":2},"webhok":"http://h/"}"#;
    assert_eq!(
        problem::<PushIncomeRequest>(request),
        "2 unknown keys:\n  `vatt` at /data/vatt (line 1); did you mean `vat`?\n  `webhok` at /webhok (line 1); did you \
         mean `webhook`?"
    );
    let many = format!(r#"{{"income":[{}]}}"#, vec![r#"{"ammount":1}"#; 25].join(","));
    let error = strict::from_str::<ManyRecords>(&many).unwrap_err();
    assert_eq!(error.unknown_keys().len(), 25);
    assert!(error.to_string().ends_with("did you mean `amount`?\n  and 15 more"), "{error}");
}

#[test]
fn what_has_only_known_keys_is_read_with_every_digit() {
    let json = r#"{"id":"S","vat":null,"amount":9007199254740993.01,"notes":"a\u0062\n"}"#;
    let strict: IncomeRecord = strict::from_slice(json.as_bytes()).unwrap();
    assert_eq!(strict, serde_json::from_str(json).unwrap());
    assert_eq!(strict.amount.unwrap().to_string(), "9007199254740993.01");
}

#[test]
fn what_does_not_match_the_type_is_reported_as_by_serde_json() {
    for json in
        ["", "{", r#"{"id":5,"ammount":1}"#, r#"{"amount":"5"}"#, r#"{"amount":{}}"#, "{}x", r#"{"id":"a","id":"b"}"#]
    {
        let error = strict::from_str::<IncomeRecord>(json).unwrap_err();
        let usual = serde_json::from_str::<IncomeRecord>(json).unwrap_err();
        assert!(matches!(&error, Error::Json(_)) && error.to_string() == usual.to_string(), "{json}: {error}");
    }
    assert!(strict::from_slice::<IncomeRecord>(b"{\"id\":\"\xff\"}").is_err());
}

#[test]
fn types_of_the_application_are_read_as_well() {
    #[derive(Debug, PartialEq, Deserialize)]
    struct File {
        #[serde(default)]
        entries: BTreeMap<String, Entry>,
        pair: Option<(u8, IncomeRecord)>,
        unit: Option<()>,
        letter: Option<char>,
        anything: Option<serde_json::Value>,
        skipped: Option<serde::de::IgnoredAny>,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Entry {
        Nothing,
        Income(Wrapped),
        Both { first: IncomeRecord },
    }

    #[derive(Debug, PartialEq, Deserialize)]
    struct Wrapped(IncomeRecord);

    let json = r#"{"entries":{"a":"nothing","b":{"income":{"amount":1.10}},"c":{"both":{"first":{"vat":2}}}},
        "pair":[1,{"id":"x"}],"unit":null,"letter":"q","anything":{"what":["ever"]},"skipped":{"any":1}}"#;
    assert_eq!(strict::from_str::<File>(json).unwrap(), serde_json::from_str(json).unwrap());
    let misspelt =
        r#"{"entries":{"b":{"income":{"amuont":1}},"c":{"both":{"first":{"vatt":2}}}},"pair":[1,{"idd":"x"}]}"#;
    let error = strict::from_str::<File>(misspelt).unwrap_err();
    let found: Vec<_> = error.unknown_keys().iter().map(|key| key.location.to_string()).collect();
    assert_eq!(
        found,
        ["at /entries/b/income/amuont (line 1)", "at /entries/c/both/first/vatt (line 1)", "at /pair/1/idd (line 1)"]
    );
}

#[test]
fn a_column_that_is_no_field_is_named_before_a_row_is_read() {
    let mut reader = csv::Reader::from_reader("id,ammount,date,colour\n1,2,3,4\n".as_bytes());
    let error = strict::columns::<IncomeRecord>(reader.headers().unwrap()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "2 unknown keys:\n  `ammount` in column 2; did you mean `amount`?\n  `colour` in column 4"
    );
    strict::columns::<BusinessData>(["email", "phone"]).unwrap();
    strict::columns::<BTreeMap<String, String>>(["anything"]).unwrap();
}
