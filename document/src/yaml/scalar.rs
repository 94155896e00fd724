//! Text without quotes: what it stands for, and which of it other readers take otherwise.

use serde_json::{Number, Value};

/// The value of a text without quotes, and what is wrong with it.
pub(super) fn read(text: &str) -> (Value, Option<String>) {
    match text {
        "null" => return (Value::Null, None),
        "true" => return (Value::Bool(true), None),
        "false" => return (Value::Bool(false), None),
        "" | "~" | "Null" | "NULL" => return (Value::Null, Some("is empty; add a value.".to_owned())),
        "True" | "TRUE" => return (Value::Bool(true), Some(format!("is `{text}`; write `true`."))),
        "False" | "FALSE" => return (Value::Bool(false), Some(format!("is `{text}`; write `false`."))),
        _ => {}
    }
    if let Some(taken) = taken_by_yaml_1_1(text) {
        return (Value::from(text), Some(format!("is `{text}`, which readers of YAML 1.1 take for {taken}; {QUOTE}.")));
    }
    if is_json_number(text) {
        let Some(number) = number(text) else {
            return (Value::from(text), Some(format!("is the number `{text}`, which is too large; {QUOTE}.")));
        };
        let kept = number.to_string();
        let problem = (kept != text).then(|| match is_json_number(&kept) && !kept.contains('e') {
            true => format!(
                "is `{text}`, but as a number it becomes `{kept}` in schemas, vectors and examples; write that, or \
                 {QUOTE_TEXT}."
            ),
            false => format!(
                "is `{text}`, but as a number it loses digits in schemas, vectors and examples; write fewer digits, or \
                 {QUOTE_TEXT}."
            ),
        });
        return (Value::Number(number), problem);
    }
    if is_number(text) {
        return (
            Value::from(text),
            Some(format!(
                "is `{text}`, which only some readers take for a number; write a number as in JSON, or {QUOTE_TEXT}."
            )),
        );
    }
    (Value::from(text), None)
}

/// What is wrong with a key without quotes: every reader must take it for text.
pub(super) fn read_key(text: &str) -> Option<String> {
    match read(text) {
        (Value::String(_), problem) => problem,
        _ => Some(format!("is a key that readers do not take for text; {QUOTE}.")),
    }
}

const QUOTE: &str = "put it in quotes";
const QUOTE_TEXT: &str = "put it in quotes if it is text";

/// What a reader of YAML 1.1 takes the text for, if YAML 1.2 takes it for something else.
fn taken_by_yaml_1_1(text: &str) -> Option<&'static str> {
    match text {
        "y" | "Y" | "yes" | "Yes" | "YES" | "n" | "N" | "no" | "No" | "NO" => return Some("a boolean"),
        "on" | "On" | "ON" | "off" | "Off" | "OFF" => return Some("a boolean"),
        "<<" => return Some("a merge of another object"),
        "=" => return Some("a default value"),
        _ if is_date(text) => return Some("a date"),
        _ => {}
    }
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if !unsigned.starts_with(|first: char| first.is_ascii_digit() || first == '.') {
        return None;
    }
    let digits = unsigned.replace('_', "");
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_binary =
        digits.strip_prefix("0b").is_some_and(|bits| !bits.is_empty() && bits.bytes().all(|b| b"01".contains(&b)));
    let is_octal = digits.len() > 1 && digits.starts_with('0') && is_digits(&digits);
    if is_octal || (digits.starts_with("0o") && is_number(&digits)) {
        return Some("another number, or for text");
    }
    let is_underscored = digits.len() < unsigned.len() && (is_number(&digits) || is_base_60(&digits));
    (is_binary || is_underscored || is_base_60(&digits)).then_some("a number")
}

/// `1:20` is 80, and `190:20:30.15` is 685230.15.
fn is_base_60(text: &str) -> bool {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let mut parts = whole.split(':');
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let first = parts.next().is_some_and(digits);
    let rest: Vec<_> = parts.collect();
    let sixty = |part: &&str| digits(part) && part.len() <= 2 && part.parse::<u8>().is_ok_and(|value| value < 60);
    first && !rest.is_empty() && rest.iter().all(sixty) && fraction.bytes().all(|byte| byte.is_ascii_digit())
}

/// `2026-03-31`, or a date and a time, such as `2026-3-1 8:00:00 +2`.
fn is_date(text: &str) -> bool {
    let (date, time) = match text.split_once(['T', 't', ' ', '\t']) {
        None => (text, None),
        Some((date, time)) => (date, Some(time.trim_start())),
    };
    let parts: Vec<_> = date.split('-').collect();
    let [year, month, day] = parts[..] else { return false };
    let digits = |part: &str, least: usize, most: usize| {
        (least..=most).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    let Some(time) = time else { return digits(year, 4, 4) && digits(month, 2, 2) && digits(day, 2, 2) };
    let clock: Vec<_> = time.splitn(3, ':').collect();
    let [hour, minute, second] = clock[..] else { return false };
    let second = second.get(..2).unwrap_or_default();
    digits(year, 4, 4)
        && digits(month, 1, 2)
        && digits(day, 1, 2)
        && digits(hour, 1, 2)
        && digits(minute, 2, 2)
        && digits(second, 2, 2)
}

/// Whether YAML 1.2 takes it for a number.
fn is_number(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let radix = |prefix: &str, radix: u32| {
        text.strip_prefix(prefix)
            .is_some_and(|digits| !digits.is_empty() && digits.chars().all(|digit| digit.is_digit(radix)))
    };
    let is_special = matches!(unsigned, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN");
    let is_decimal =
        unsigned.starts_with(|first: char| first.is_ascii_digit() || first == '.') && unsigned.parse::<f64>().is_ok();
    is_special || is_decimal || radix("0o", 8) || radix("0x", 16)
}

/// Whether it is a number in JSON, and so for every reader of YAML; without an exponent, since YAML 1.1 takes `1e5` for
/// text.
fn is_json_number(text: &str) -> bool {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, "0"));
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    digits(whole) && digits(fraction) && (whole == "0" || !whole.starts_with('0'))
}

fn number(text: &str) -> Option<Number> {
    let whole = text.parse::<i64>().map(Number::from).or_else(|_| text.parse::<u64>().map(Number::from));
    whole.ok().filter(|_| text != "-0").or_else(|| Number::from_f64(text.parse().ok()?))
}
