//! What is written in a format is read back from it, exactly or not at all.

// Also outside of the tests themselves, in what they share.
#![allow(clippy::unwrap_used)]

#[path = "support/codecs.rs"]
mod codecs;
mod support;

use std::fmt::Write;

use business_data_connector::{Decimal, Request, RequestVisitor, types::IncomeRecord, visit_requests};
use codecs::{Codec, Trip, from_csv, from_json, from_toml, from_yaml};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use support::{TestResult, samples};

/// Numbers that something between two programs is known to get wrong.
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

#[derive(Serialize, Deserialize)]
struct Flattened<R> {
    source: String,
    #[serde(flatten)]
    record: R,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "kind")]
enum Internal<R> {
    Income(R),
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", content = "record")]
enum Adjacent<R> {
    Income(R),
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Untagged<R> {
    Income(R),
}

#[derive(Serialize, Deserialize)]
enum External<R> {
    Income(R),
}

#[derive(Serialize, Deserialize)]
struct Plain<R>(R);

/// A shape around a record.
trait Shape<R>: Serialize + DeserializeOwned {
    fn around(record: R) -> Self;
    fn record(self) -> R;
}

macro_rules! shapes {
    ($($shape:ident: $around:expr, $inside:pat => $record:expr;)*) => {$(
        impl<R: Serialize + DeserializeOwned> Shape<R> for $shape<R> {
            fn around(record: R) -> Self {
                $around(record)
            }

            fn record(self) -> R {
                let $inside = self;
                $record
            }
        }
    )*};
}
shapes! {
    Plain: Self, Self(record) => record;
    Flattened: |record| Self { source: "shop".to_owned(), record }, Self { record, .. } => record;
    Internal: Self::Income, Self::Income(record) => record;
    Adjacent: Self::Income, Self::Income(record) => record;
    Untagged: Self::Income, Self::Income(record) => record;
    External: Self::Income, Self::Income(record) => record;
}

/// A record without decimals: what it cannot be written in, no record can.
#[derive(Serialize, Deserialize)]
struct Control {
    id: String,
}

/// `=` every digit, `~` the same number with other zeros, `W` refused when writing, `R` refused when reading.
fn cell(number: &Decimal, trip: Trip<Option<Decimal>>) -> char {
    match trip {
        Err(_) => 'W',
        Ok(Err(_)) => 'R',
        Ok(Ok(Some(read))) if read.to_string() == number.to_string() => '=',
        Ok(Ok(Some(read))) if read == *number => '~',
        // The table never has one: it would be money that changed.
        Ok(Ok(_)) => '!',
    }
}

fn round_trips<S: Shape<IncomeRecord>, C: Shape<Control>>(codec: Codec) -> String {
    if !matches!(codec.trip(&C::around(Control { id: "INV-1".to_owned() })), Ok(Ok(_))) {
        return "the format cannot hold this shape".to_owned();
    }
    let trip = |number: &Decimal| {
        let written = S::around(IncomeRecord::new().id("INV-1").amount(*number));
        cell(number, codec.trip(&written).map(|read| read.map(|read| read.record().amount)))
    };
    HARD.iter().map(|text| trip(&text.parse().unwrap())).collect()
}

/// One row per format and shape, one character per number.
fn table(rows: impl IntoIterator<Item = (String, String)>) -> String {
    let mut text = String::from("= every digit  ~ same number, other zeros  W writing fails  R reading fails\n\n");
    for (index, number) in HARD.iter().enumerate() {
        writeln!(text, "{:>38}{}{number}", "", "|".repeat(index)).unwrap();
    }
    for (name, cells) in rows {
        writeln!(text, "{name:<38}{cells}").unwrap();
    }
    text
}

#[test]
fn what_is_written_is_read_back_exactly_or_refused() {
    let rows = Codec::ALL.into_iter().flat_map(|codec| {
        [
            ("plain", round_trips::<Plain<_>, Plain<_>>(codec)),
            ("flatten", round_trips::<Flattened<_>, Flattened<_>>(codec)),
            ("internally tagged", round_trips::<Internal<_>, Internal<_>>(codec)),
            ("adjacently tagged", round_trips::<Adjacent<_>, Adjacent<_>>(codec)),
            ("untagged", round_trips::<Untagged<_>, Untagged<_>>(codec)),
            ("externally tagged", round_trips::<External<_>, External<_>>(codec)),
        ]
        .map(|(shape, cells)| (format!("{codec:?}, {shape}"), cells))
    });
    let table = table(rows);
    assert!(!table.contains('!'), "{table}");
    insta::assert_snapshot!("round_trips", table);
}

/// Reads a document in which `{}` stands for a number that another program wrote, without quotes.
fn foreign<S: Shape<IncomeRecord>>(read: fn(&str) -> Result<S, String>, document: &str) -> String {
    let trip = |text: &&str| {
        let read = read(&document.replace("{}", text)).map(|read| read.record().amount);
        cell(&text.parse().unwrap(), Ok(read))
    };
    HARD.iter().map(trip).collect()
}

#[test]
fn plain_numbers_of_other_programs_are_read_exactly_or_refused() {
    fn value<S: Shape<IncomeRecord>>(document: &str) -> Result<S, String> {
        serde_json::from_value(from_json(document)?).map_err(codecs::text)
    }
    fn yaml_value<S: Shape<IncomeRecord>>(document: &str) -> Result<S, String> {
        yaml_serde::from_value(from_yaml(document)?).map_err(codecs::text)
    }
    const JSON: &str = r#"{"kind":"Income","source":"","amount":{}}"#;
    const YAML: &str = "kind: Income\nsource: ''\namount: {}\n";
    const TOML: &str = "kind = 'Income'\nsource = ''\namount = {}\n";
    const CSV: &str = "kind,source,amount\nIncome,,{}\n";
    let rows = [
        ("JSON", foreign::<Plain<_>>(from_json, JSON)),
        ("JSON, flatten", foreign::<Flattened<_>>(from_json, JSON)),
        ("JSON, internally tagged", foreign::<Internal<_>>(from_json, JSON)),
        ("JSON, untagged", foreign::<Untagged<_>>(from_json, JSON)),
        ("JSON by Value", foreign::<Plain<_>>(value, JSON)),
        ("JSON by Value, flatten", foreign::<Flattened<_>>(value, JSON)),
        ("YAML", foreign::<Plain<_>>(from_yaml, YAML)),
        ("YAML, flatten", foreign::<Flattened<_>>(from_yaml, YAML)),
        ("YAML, internally tagged", foreign::<Internal<_>>(from_yaml, YAML)),
        ("YAML, untagged", foreign::<Untagged<_>>(from_yaml, YAML)),
        ("YAML by Value", foreign::<Plain<_>>(yaml_value, YAML)),
        ("TOML", foreign::<Plain<_>>(from_toml, TOML)),
        ("TOML, flatten", foreign::<Flattened<_>>(from_toml, TOML)),
        ("CSV", foreign::<Plain<_>>(from_csv, CSV)),
        ("CSV, flatten", foreign::<Flattened<_>>(from_csv, CSV)),
        ("CSV, internally tagged", foreign::<Internal<_>>(from_csv, CSV)),
    ];
    let table = table(rows.map(|(name, cells)| (name.to_owned(), cells)));
    assert!(!table.contains('!'), "{table}");
    insta::assert_snapshot!("foreign_numbers", table);
}

#[test]
fn what_is_not_a_number_or_too_large_is_refused_in_every_format() {
    for number in
        ["1e400", "NaN", "inf", ".nan", ".inf", "nan", "\"\"", "true", "[1]", "1e-29", "79228162514264337593543950336"]
    {
        let json = from_json::<IncomeRecord>(&format!(r#"{{"amount":{number}}}"#));
        let flattened = from_json::<Flattened<IncomeRecord>>(&format!(r#"{{"source":"","amount":{number}}}"#));
        let yaml = from_yaml::<IncomeRecord>(&format!("amount: {number}\n"));
        let yaml_flattened = from_yaml::<Flattened<IncomeRecord>>(&format!("source: ''\namount: {number}\n"));
        let toml = from_toml::<IncomeRecord>(&format!("amount = {number}\n"));
        let csv = from_csv::<IncomeRecord>(&format!("id,amount\n1,{number}x\n"));
        for (format, read) in [("JSON", json), ("YAML", yaml), ("TOML", toml), ("CSV", csv)].into_iter().chain([
            ("JSON, flatten", flattened.map(Shape::record)),
            ("YAML, flatten", yaml_flattened.map(Shape::record)),
        ]) {
            assert!(read.is_err(), "{format}: {number} was read as {read:?}");
        }
    }
}

#[test]
fn a_string_in_json_is_not_a_number_however_it_is_buffered() {
    let quoted = r#"{"kind":"Income","source":"","amount":"5"}"#;
    for error in [
        from_json::<IncomeRecord>(quoted).unwrap_err(),
        from_json::<Flattened<IncomeRecord>>(quoted).map(|_| ()).unwrap_err(),
        from_json::<Internal<IncomeRecord>>(quoted).map(|_| ()).unwrap_err(),
        serde_json::from_value::<IncomeRecord>(from_json(quoted).unwrap()).unwrap_err().to_string(),
    ] {
        assert!(error.starts_with("not a decimal number"), "{error}");
    }
}

#[test]
fn absent_fields_do_not_shift_those_after_them_in_any_format() -> TestResult {
    let amount = |text| Decimal::try_from(text);
    let records = [
        IncomeRecord::new(),
        IncomeRecord::new().amount(amount("100.10")?),
        IncomeRecord::new().category("rent"),
        IncomeRecord::new().id("7").vat(amount("-0.5")?).date("2026-03-31"),
        IncomeRecord::new().name("").notes("a, \"b\"\n"),
    ];
    for codec in Codec::ALL {
        for record in &records {
            let read = codec.trip(record)?.map_err(|error| format!("{codec:?}: {error}"))?;
            // A CSV cell that is empty is absent.
            let expected = match codec {
                Codec::Csv if record.name.as_deref() == Some("") => record.clone().maybe_name(None::<String>),
                _ => record.clone(),
            };
            assert_eq!(read, expected, "{codec:?}");
        }
    }
    let mut writer = csv::Writer::from_writer(Vec::new());
    records.iter().try_for_each(|record| writer.serialize(record))?;
    let rows = writer.into_inner()?;
    let read: Vec<IncomeRecord> = csv::Reader::from_reader(rows.as_slice()).deserialize().collect::<Result<_, _>>()?;
    assert_eq!(read[..4], records[..4]);
    Ok(())
}

#[test]
fn every_request_is_read_back_from_every_format_with_and_without_its_optional_fields() {
    struct Tripper(Vec<String>);
    impl Tripper {
        fn trip<R: Request>(&mut self, request: &R) {
            for codec in Codec::ALL {
                let failure = match codec.trip(request) {
                    Ok(Ok(read)) if read == *request => continue,
                    Ok(Ok(read)) => format!("read as {read:?}"),
                    // A table cannot hold what is nested, and says so.
                    Err(_) | Ok(Err(_)) if codec == Codec::Csv => continue,
                    Ok(Err(error)) | Err(error) => error,
                };
                self.0.push(format!("{}, {codec:?}: {failure}", R::OPERATION.id));
            }
        }
    }
    impl RequestVisitor for Tripper {
        fn visit<R: Request>(&mut self) {
            let sample = samples().unwrap().into_iter().find(|sample| sample.operation.id == R::OPERATION.id).unwrap();
            let mut body = sample.body;
            self.trip::<R>(&serde_json::from_str(&body.to_string()).unwrap());
            for optional in ["signature", "webhook"] {
                let absent = body.as_object_mut().unwrap().remove(optional);
                // Some operations require it.
                match serde_json::from_str::<R>(&body.to_string()) {
                    Ok(request) => self.trip(&request),
                    Err(_) => body[optional] = absent.unwrap(),
                }
            }
        }
    }
    let mut tripper = Tripper(Vec::new());
    visit_requests(&mut tripper);
    assert_eq!(tripper.0, Vec::<String>::new());
}
