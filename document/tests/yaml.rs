//! What other readers of YAML would take otherwise is rejected, and every violation has its line and column.

use business_data_connector_document::Document;

const CONNECTOR: &str = include_str!("../../openapi/connector.yaml");

/// The violations of a text.
fn violations(text: &str) -> Vec<String> {
    Document::parse(text)
        .err()
        .into_iter()
        .flat_map(|all| all.to_string().lines().map(str::to_owned).collect::<Vec<_>>())
        .collect()
}

/// The line of the first occurrence of a text, and the column at which it begins.
fn place(of: &str) -> (usize, usize) {
    let start = CONNECTOR.find(of).unwrap_or_else(|| unreachable!("{of:?} is not in the document"));
    let before = &CONNECTOR[..start];
    (before.matches('\n').count() + 1, start - before.rfind('\n').map_or(0, |end| end + 1) + 1)
}

/// The problem of a text in place of an example of a string, at the place of the example.
fn problem(written: &str) -> String {
    let (line, column) = place("'8001'");
    let found = violations(&CONNECTOR.replacen("'8001'", written, 1));
    let start = format!("{line}:{column}: components.schemas.SaleCustomer.properties.postalcode.example: ");
    found.iter().find_map(|found| found.strip_prefix(&start)).unwrap_or_default().to_owned()
}

#[test]
fn text_that_yaml_1_1_takes_for_something_else_must_be_in_quotes() {
    for (taken, texts) in [
        (
            "a boolean",
            &["y", "Y", "n", "N", "yes", "Yes", "YES", "no", "No", "NO", "on", "On", "ON", "off", "Off", "OFF"][..],
        ),
        ("a date", &["2026-03-31", "2026-3-1 8:00:00", "2026-03-31T08:00:00Z", "2026-03-31t08:00:00.5+02:00"]),
        ("a number", &["1:20", "-190:20:30", "1:20.5", "1_000", "+1_0.5", "0b101", "0x_ff", "1_0:20"]),
        ("another number, or for text", &["010", "0o10", "08", "-012", "0_7"]),
        ("a merge of another object", &["<<"]),
        ("a default value", &["="]),
    ] {
        for text in texts {
            let expected = format!("is `{text}`, which readers of YAML 1.1 take for {taken}; put it in quotes.");
            assert_eq!(problem(text), expected);
            assert_eq!(problem(&format!("'{text}'")), "", "{text}");
        }
    }
}

#[test]
fn a_number_must_be_written_as_in_json() {
    for text in ["1e5", "1.5E-3", ".5", "5.", "+5", "0x1F", ".inf", "-.INF", ".nan"] {
        let expected = format!(
            "is `{text}`, which only some readers take for a number; write a number as in JSON, or put it in quotes if it is text."
        );
        assert_eq!(problem(text), expected);
    }
}

#[test]
fn a_number_that_would_lose_digits_is_rejected() {
    for (text, kept) in [("1.10", "1.1"), ("99.00", "99.0"), ("-0.50", "-0.5"), ("0.10000000000000000001", "0.1")] {
        let expected = format!(
            "is `{text}`, but as a number it becomes `{kept}` in schemas, vectors and examples; write that, or put it in quotes \
             if it is text."
        );
        assert_eq!(problem(text), expected);
    }
    for text in
        ["12345678901234567890.12345", "123456789012345678901234567890", "0.00000000000000000012345678901234567891"]
    {
        assert!(
            problem(text).starts_with(&format!("is `{text}`, but as a number it loses digits")),
            "{}",
            problem(text)
        );
    }
}

#[test]
fn a_number_with_every_digit_reaches_the_document() {
    for text in ["0", "-1", "19.99", "99.0", "9223372036854775807", "18446744073709551615", "0.1", "123456.789"] {
        let document = Document::parse(&CONNECTOR.replacen("example: 19.99", &format!("example: {text}"), 1)).unwrap();
        let example = &document.as_value()["components"]["schemas"]["IncomeRecord"]["properties"]["amount"]["example"];
        assert_eq!(example.to_string(), text);
    }
}

#[test]
fn text_that_every_reader_takes_for_text_needs_no_quotes() {
    for text in [
        "yesterday",
        "0.1.0",
        "4XX",
        "P-7",
        "10:xx",
        "1-2-3",
        "https://partner.example/42",
        "settle_by_file",
        "O",
        "_1",
    ] {
        assert_eq!(problem(text), "", "{text}");
    }
}

#[test]
fn a_key_that_other_readers_do_not_take_for_text_must_be_in_quotes() {
    for (key, problem) in [
        ("no", "is `no`, which readers of YAML 1.1 take for a boolean; put it in quotes."),
        ("2026-03-31", "is `2026-03-31`, which readers of YAML 1.1 take for a date; put it in quotes."),
        ("404", "is a key that readers do not take for text; put it in quotes."),
        ("null", "is a key that readers do not take for text; put it in quotes."),
    ] {
        let next = "        productid:\n";
        let added = format!("        {key}:\n          type: string\n          description: x\n{next}");
        let (line, _) = place(next);
        let text = CONNECTOR.replacen(next, &added, 1);
        let expected = format!("{line}:9: components.schemas.IncomeRecord.properties.{key}: {problem}");
        assert_eq!(violations(&text), [expected]);
    }
}

#[test]
fn a_key_that_occurs_twice_is_rejected_with_both_lines() {
    let text = CONNECTOR.replacen("  /api/push/income:", "  /api/push/expense:", 1);
    let (first, second) = (place("  /api/push/income:").0, place("  /api/push/expense:").0);
    let expected = format!(
        "{second}:3: paths./api/push/expense: is already defined in line {first}; readers take either, so remove one of them."
    );
    assert_eq!(violations(&text).first(), Some(&expected));
}

#[test]
fn tags_versions_and_line_ends_of_yaml_1_1_are_rejected() {
    for (from, to, expected) in [
        ("'8001'", "!!str 8001", "document: has a tag, which readers take differently; remove it."),
        ("'8001'", "'80\u{85}01'", "document: contains U+0085, which ends a line for readers of YAML 1.1"),
        ("openapi: 3.0.3", "%YAML 1.1\n---\nopenapi: 3.0.3", "document: names a version of YAML"),
        (
            "openapi: 3.0.3",
            "openapi: 3.0.3\n---\nopenapi: 3.0.3",
            "document: is not valid YAML: it has more than one document.",
        ),
        (
            "callbacks: &callbacks",
            "callbacks: &callbacks [*callbacks]",
            "document: is not valid YAML: an alias refers to the value",
        ),
    ] {
        let found = violations(&CONNECTOR.replacen(from, to, 1));
        assert!(found.iter().any(|found| found.contains(expected)), "{expected}: {found:?}");
    }
}

#[test]
fn text_that_is_not_yaml_is_rejected_with_the_place() {
    let (line, _) = place("  title: Business");
    let found = violations(&CONNECTOR.replacen("  title: Business", "  title: 'Business", 1));
    assert!(found.len() == 1 && found[0].contains(": document: is not valid YAML: "), "{found:?}");
    let found = violations(&CONNECTOR.replacen("  title: Business", "  title: [}Business", 1));
    assert!(found[0].starts_with(&format!("{line}:")), "{found:?}");
    for same in [format!("\u{feff}{CONNECTOR}"), CONNECTOR.replace('\n', "\r\n")] {
        assert!(violations(&same).is_empty());
    }
    for text in ["{".repeat(100), "- ".repeat(100_000), format!("a: &a [x]\n{}", "b: [*a]\n".repeat(3))] {
        assert!(!violations(&text).is_empty());
    }
}

#[test]
fn aliases_that_multiply_are_rejected() {
    let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..10 {
        let inner = vec![format!("*a{}", level - 1); 10].join(", ");
        text += &format!("a{level}: &a{level} [{inner}]\n");
    }
    assert!(violations(&text)[0].ends_with("document: is not valid YAML: aliases make it too large."));
}

#[test]
fn violations_are_in_the_order_of_the_document_each_at_its_key() {
    let text = CONNECTOR
        .replacen("      x-effect: write\n", "      x-effect: wrte\n", 1)
        .replacen("          x-sensitive: value", "          x-sensitive: very", 1)
        .replacen("      operationId: push_reset\n", "", 1);
    let (effect, sensitive) = (place("  /api/push/business:"), place("        apikey:\n"));
    let found = violations(&text);
    let places: Vec<_> = found.iter().map(|found| found.split(": ").next().unwrap_or_default()).collect();
    let reset = place("  /api/push/reset:\n").0;
    assert_eq!(
        places,
        [format!("{}:5", effect.0 + 1), format!("{}:5", reset + 1), format!("{}:9", sensitive.0 - 1),],
        "{found:#?}"
    );
}

#[test]
fn a_violation_in_an_alias_is_reported_once_where_the_text_is() {
    let evidence = "              x-evidence: assumed\n";
    let found = violations(&CONNECTOR.replacen(evidence, "              x-evidence: on\n", 1));
    let line = place(evidence).0;
    let reported: Vec<_> = found.iter().filter(|found| found.contains("is `on`")).collect();
    assert!(reported.len() == 1 && reported[0].starts_with(&format!("{line}:27: ")), "{found:?}");
}
