//! Exact decimals: what is one, and what is not.

use business_data_connector::{Decimal, DecimalError};

fn read(json: &str) -> Result<String, String> {
    serde_json::from_str::<Decimal>(json).map(|decimal| decimal.to_string()).map_err(|e| e.to_string())
}

#[test]
fn what_json_calls_a_number_is_read_with_every_digit() {
    for (json, text) in [
        ("0", "0"),
        ("-0.00", "-0.00"),
        ("-0", "-0"),
        ("-0e5", "-0"),
        ("100.10", "100.10"),
        ("1E2", "100"),
        ("1.50e1", "15.0"),
        ("-2.5e-3", "-0.0025"),
        ("0e999999999999999999999", "0"),
        ("0.0000000000000000000000000001", "0.0000000000000000000000000001"),
        ("-79228162514264337593543950335", "-79228162514264337593543950335"),
    ] {
        assert_eq!(read(json).as_deref(), Ok(text), "{json}");
    }
}

#[test]
fn what_does_not_fit_is_an_error_and_never_rounded() {
    for json in [
        "1e400",
        "-1e400",
        "1e-400",
        "1e99999999999999999999",
        "79228162514264337593543950336",
        "0.00000000000000000000000000001",
        "1.00000000000000000000000000001",
        "12345678901234567890.1234567890123",
    ] {
        assert_eq!(json.parse::<Decimal>(), Err(DecimalError::OutOfRange), "{json}");
        assert!(
            read(json).is_err_and(|e| e.starts_with("a decimal with more digits than can be kept exactly")),
            "{json}"
        );
    }
}

#[test]
fn what_is_not_a_json_number_is_an_error() {
    for text in [
        "", " ", "5 ", " 5", "+5", ".5", "5.", "1_000", "1,5", "007", "0x1", "NaN", "inf", "\"5\"", "true", "null",
        "1e", "--1", "5\n",
    ] {
        assert_eq!(text.parse::<Decimal>(), Err(DecimalError::NotANumber), "{text:?}");
    }
    for json in [r#""5""#, "true", "[5]", "{}"] {
        assert!(read(json).is_err(), "{json}");
    }
}

#[test]
fn no_float_that_is_not_a_number_becomes_one() {
    for float in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert_eq!(Decimal::try_from(float), Err(DecimalError::NotANumber));
    }
    for float in [f64::MAX, 1e30, 1e-30, f64::MIN_POSITIVE] {
        assert_eq!(Decimal::try_from(float), Err(DecimalError::OutOfRange), "{float}");
    }
    for (float, text) in
        [(19.99, "19.99"), (5.0, "5"), (0.1 + 0.2, "0.30000000000000004"), (-0.07, "-0.07"), (1e-7, "0.0000001")]
    {
        assert_eq!(Decimal::try_from(float).map(|decimal| decimal.to_string()).as_deref(), Ok(text));
    }
}

#[test]
fn integers_and_decimals_convert_both_ways() {
    assert_eq!(Decimal::from(u64::MAX).to_string(), "18446744073709551615");
    assert_eq!(Decimal::from(i64::MIN).to_string(), "-9223372036854775808");
    let exact = rust_decimal::Decimal::new(1999, 2);
    assert_eq!(rust_decimal::Decimal::from(Decimal::from(exact)), exact);
    assert_eq!(Decimal::from(exact), Decimal::try_from("19.990").unwrap());
}

#[test]
fn a_zero_keeps_its_sign_in_json_and_is_equal_to_any_other() {
    let zero: Decimal = "-0.00".parse().unwrap();
    assert_eq!(serde_json::to_string(&zero).unwrap(), "-0.00");
    assert_eq!(zero, Decimal::from(0));
}

#[test]
fn sums_and_differences_are_exact_or_refused() {
    let decimal = |text: &str| text.parse::<Decimal>().unwrap();
    for (left, right, sum) in [
        ("0.10", "0.20", Some("0.30")),
        ("17.3", "2.60", Some("19.90")),
        ("-1", "1.00", Some("0.00")),
        ("79228162514264337593543950335", "-0.0", Some("79228162514264337593543950335")),
        ("79228162514264337593543950334", "1.000", Some("79228162514264337593543950335")),
        ("7.9228162514264337593543950335", "0.0000000000000000000000000005", Some("7.922816251426433759354395034")),
        ("79228162514264337593543950335", "1", None),
        ("79228162514264337593543950335", "0.1", None),
        ("7922816251426433759354395033.5", "0.01", None),
        ("1000000000000", "0.0000000000000000000000000001", None),
    ] {
        let (left, right) = (decimal(left), decimal(right));
        for (left, right) in [(left, right), (right, left)] {
            assert_eq!(left.checked_add(right).map(|sum| sum.to_string()).as_deref(), sum, "{left} + {right}");
            assert_eq!(left.checked_sub(-right), left.checked_add(right), "{left} - -{right}");
        }
    }
    assert_eq!(Decimal::checked_sum([]), Some(Decimal::from(0)));
    assert_eq!(Decimal::checked_sum([decimal("0.1"), decimal("0.25"), decimal("-0.35")]), Some(Decimal::from(0)));
    assert_eq!(Decimal::checked_sum([decimal("79228162514264337593543950335"), decimal("1")]), None);
}
