//! With `arbitrary_precision`, what `serde_json` buffers keeps every digit, and other formats are as they are without
//! it.

use arbitrary_precision::{Flattened, Tagged, Untagged};
use business_data_connector::{Decimal, types::IncomeRecord};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

type TestResult = Result<(), Box<dyn std::error::Error>>;

const HARD: [&str; 18] = [
    "0",
    "-0",
    "0.00",
    "-0.00",
    "5",
    "-3",
    "100.10",
    "19.99",
    "0.1",
    "0.30000000000000004",
    "0.0000000000000000000000000001",
    "9007199254740993",
    "9007199254740993.01",
    "18446744073709551616",
    "12345678901234567890.10",
    "0.1234567890123456789012345678",
    "-79228162514264337593543950335",
    "100000000000000000000",
];

fn record(number: &str) -> Result<IncomeRecord, Box<dyn std::error::Error>> {
    Ok(IncomeRecord::new().amount(Decimal::try_from(number)?))
}

/// Through text, and through a `Value`: with every digit, or refused if serde has no room for the integer in its
/// buffer.
fn json<T: Serialize + DeserializeOwned>(value: &T, amount: impl Fn(T) -> Option<Decimal>, number: &str) -> TestResult {
    let text = serde_json::to_string(value)?;
    assert!(text.contains(&format!(r#""amount":{number}"#)), "{text}");
    let exact = |read: T| assert_eq!(amount(read).map(|amount| amount.to_string()).as_deref(), Some(number));
    exact(serde_json::from_str(&text)?);
    let stored: Value = serde_json::from_str(&text)?;
    let by_value = serde_json::to_value(value)?;
    assert_eq!(by_value.to_string(), stored.to_string(), "{number}");
    match (T::deserialize(&stored), serde_json::from_value(by_value)) {
        // A `Value` shows the integer -0 as 0 to what buffers it.
        _ if number == "-0" => {}
        (Ok(stored), Ok(by_value)) => [stored, by_value].into_iter().for_each(exact),
        (Err(refused), Err(_)) => assert!(refused.to_string().contains("128"), "{number}: {refused}"),
        _ => panic!("{number}: a reference to the value is read differently"),
    }
    Ok(())
}

#[test]
fn json_is_exact_in_every_shape() -> TestResult {
    for number in HARD {
        let record = record(number)?;
        json(&record, |record| record.amount, number)?;
        let read: IncomeRecord = serde_json::from_value(serde_json::to_value(&record)?)?;
        assert_eq!(read.amount.map(|amount| amount.to_string()).as_deref(), Some(number));
        json(&Flattened { source: String::new(), record: record.clone() }, |read| read.record.amount, number)?;
        json(&Tagged::Income(record.clone()), |Tagged::Income(record)| record.amount, number)?;
        json(&Untagged::Income(record), |Untagged::Income(record)| record.amount, number)?;
    }
    Ok(())
}

#[test]
fn other_formats_hold_text_as_they_do_without_the_feature() -> TestResult {
    for number in HARD {
        let record = record(number)?;
        let yaml = yaml_serde::to_string(&record)?;
        assert!(yaml.contains(&format!("amount: '{number}'")), "{yaml}");
        let yaml: IncomeRecord = yaml_serde::from_str(&yaml)?;
        let packed: Flattened = rmp_serde::from_slice(&rmp_serde::to_vec_named(&Flattened {
            source: String::new(),
            record: record.clone(),
        })?)?;
        let mut rows = csv::Writer::from_writer(Vec::new());
        rows.serialize(&record)?;
        let rows = rows.into_inner()?;
        let row: IncomeRecord = csv::Reader::from_reader(rows.as_slice()).deserialize().next().ok_or("no row")??;
        for read in [yaml, packed.record, row] {
            assert_eq!(read.amount.map(|amount| amount.to_string()).as_deref(), Some(number));
        }
    }
    Ok(())
}

#[test]
fn what_does_not_fit_is_refused_however_it_is_buffered() {
    for number in
        ["1e400", "1e-29", "79228162514264337593543950336", r#""5""#, r#"{"$serde_json::private::Number":"x"}"#]
    {
        let text = format!(r#"{{"kind":"Income","source":"","amount":{number}}}"#);
        assert!(serde_json::from_str::<IncomeRecord>(&text).is_err(), "{number}");
        assert!(serde_json::from_str::<Flattened>(&text).is_err(), "{number}");
        assert!(serde_json::from_str::<Tagged>(&text).is_err(), "{number}");
        assert!(serde_json::from_str::<Untagged>(&text).is_err(), "{number}");
        if let Ok(value) = serde_json::from_str::<Value>(&text) {
            assert!(serde_json::from_value::<IncomeRecord>(value).is_err(), "{number}");
        }
    }
}
