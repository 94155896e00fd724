//! What nothing uses is named, what refers to nothing is rejected, and descriptions tell operations apart.

use business_data_connector_document::Document;

const CONNECTOR: &str = include_str!("../../openapi/connector.yaml");

/// The violations of a text, without their places.
fn found(text: &str) -> Vec<String> {
    let error = Document::parse(text).err();
    let violations = error.iter().flat_map(|violations| violations.iter());
    violations.map(|found| format!("{}: {}", found.location, found.problem)).collect()
}

/// The violations in the document after one replacement, whose original text must exist.
fn violations(from: &str, to: &str) -> Vec<String> {
    assert!(CONNECTOR.contains(from), "{from:?} is not in the document");
    found(&CONNECTOR.replacen(from, to, 1))
}

#[test]
fn the_schemas_of_a_removed_operation_are_named() {
    let start = CONNECTOR.find("  /api/push/sale:\n").unwrap_or_default();
    let end = CONNECTOR.find("  /api/push/many:\n").unwrap_or_default();
    let names = ["PushSaleRequest", "SaleRecord", "SalePayment", "SaleItem", "SaleCustomer"];
    let unused =
        |name: &str| format!("components.schemas.{name}: is not used by any operation or callback; remove it.");
    let mut found = found(&format!("{}{}", &CONNECTOR[..start], &CONNECTOR[end..]));
    let mut expected = names.map(unused);
    found.sort();
    expected.sort();
    assert_eq!(found, expected);
}

#[test]
fn other_components_and_tags_that_nothing_uses_are_named() {
    let unused = "is not used by any operation or callback; remove it.";
    for (before, added, location) in [
        ("    Success:\n      d", "    Spare:\n      description: x\n", "components.responses.Spare"),
        (
            "    headerKey:\n",
            "    spare:\n      type: apiKey\n      in: header\n      name: X\n      description: x\n",
            "components.securitySchemes.spare",
        ),
        (
            "      ObservedReply:\n",
            "      Spare:\n        type: object\n        description: x\n        properties: {}\n",
            "components.x-observed.schemas.Spare",
        ),
    ] {
        assert_eq!(violations(before, &format!("{added}{before}")), [format!("{location}: {unused}")]);
    }
    let tag = "  - name: pull\n";
    assert_eq!(
        violations(tag, &format!("  - name: spare\n    description: x\n{tag}")),
        ["tags[2]: is not the tag of any operation; remove it."]
    );
}

#[test]
fn what_refers_to_nothing_is_rejected() {
    for (from, to, expected) in [
        (
            "tags: [verify]",
            "tags: [veryfy]",
            "paths./api/verify/apikey.post.tags[0]: is `veryfy`, which `tags` does not declare; expected one of `pull`, `push`, `verify`.",
        ),
        ("  - name: push\n", "  - name: pull\n", "tags[2].name: is the name of another tag, too; remove one."),
        ("'{base_url}'", "'{base}'", "servers[0].url: has `{base}`, which is not among its `variables`."),
        (
            "'{base_url}'",
            "https://service.example",
            "servers[0].variables.base_url: is not in the address of the server; remove it.",
        ),
        (
            "  x-observed:\n    responses:\n      Success:\n",
            "  x-observed:\n    responses:\n      Succes:\n",
            "components.x-observed.responses.Succes: replaces nothing, since there is no response of that name under components.responses.",
        ),
    ] {
        let found = violations(from, to);
        assert!(found.iter().any(|found| found == expected), "{to}: {found:#?}");
    }
}

#[test]
fn the_schema_of_an_observed_reply_follows_the_rules_of_schemas() {
    let message =
        "          message:\n            type: string\n            description: What happened, as free text. Success";
    for (to, expected) in [
        (message.replace("string", "strng"), "ObservedReply.properties.message: must have one `type`"),
        (message.replace("description: What", "title: What"), "ObservedReply.properties.message: has no `description`"),
        (message.replace("type: string", "type: boolean"), "message.example: does not have `type: boolean`"),
    ] {
        let found = violations(message, &to);
        assert!(found.iter().any(|found| found.contains(expected)), "{to}: {found:#?}");
    }
}

#[test]
fn the_description_of_an_operation_begins_with_what_it_does() {
    let verb = "paths./api/pull/bank-feed.post.description: must begin with a verb that says what the operation does, such as \
                `Records`.";
    for beginning in [
        "A bank",
        "Deployed services trigger a bank",
        "trigger a bank",
        "This triggers a bank",
        "`uid` triggers a bank",
    ] {
        assert_eq!(violations("Triggers a bank", beginning), [verb], "{beginning}");
    }
    for beginning in ["Starts a bank", "Cancels, if it runs, a bank"] {
        assert_eq!(violations("Triggers a bank", beginning), [""; 0], "{beginning}");
    }
}

#[test]
fn the_descriptions_of_two_operations_differ() {
    assert_eq!(
        violations("Records an expense of a business, async", "Records income of a business, async"),
        [
            "paths./api/push/income.post.description: has the same first sentence as /api/push/expense; say what differs."
        ]
    );
    assert_eq!(
        violations("summary: Record an expense, async", "summary: Record income, async"),
        ["paths./api/push/income.post.summary: has the same summary as /api/push/expense; say what differs."]
    );
}
