//! A mistake in the callbacks of the document is rejected with its violations, each of which names its location.

use business_data_connector_document::Document;

const CONNECTOR: &str = include_str!("../../openapi/connector.yaml");

/// The shape of `pull_bank_feed`, the only operation that has it.
const BANK_FEED: &str = "#/components/schemas/BankFeedResponse'\n      x-evidence";
/// The shape of `push_business`.
const SHAPE: &str = "      x-callback-response:\n        $ref: '#/components/schemas/BusinessCreatedResponse'\n";
/// The callback of `push_business_update`, the second operation that has one, and so an alias.
const ALIAS: &str = "      callbacks: *callbacks\n";
const ENVELOPE: &str = "                      $ref: '#/components/schemas/Callback'";
const EXPRESSION: &str = "'{$request.body#/webhook}':";
/// The first of the operations, by path, that share the callback.
const LOCATION: &str = "paths./api/pull/bank-feed.post.callbacks.outcome";

/// The violations in the document after one replacement, whose original text must exist, without their places.
fn violations(from: &str, to: &str) -> Vec<String> {
    assert!(CONNECTOR.contains(from), "{from:?} is not in the document");
    match Document::parse(&CONNECTOR.replacen(from, to, 1)) {
        Ok(_) => Vec::new(),
        Err(violations) => violations.iter().map(|found| format!("{}: {}", found.location, found.problem)).collect(),
    }
}

#[test]
fn an_operation_with_a_webhook_and_without_a_callback_is_rejected() {
    assert_eq!(
        violations(ALIAS, ""),
        [
            "paths./api/push/business/update.post: takes a `webhook`, but has no `callbacks`; add the callback that is sent \
             there, and its `x-callback-response`.",
            "paths./api/push/business/update.post.x-callback-response: describes callbacks that the operation does not have; \
             remove it.",
        ]
    );
}

#[test]
fn a_callback_without_a_webhook_to_send_it_to_is_rejected() {
    let reset = "      operationId: push_reset\n";
    assert_eq!(
        violations(reset, &format!("{reset}{SHAPE}{ALIAS}")),
        ["paths./api/push/reset.post.callbacks: describe what is sent to the `webhook`, but the request has no such \
          property; remove one or add the other."]
    );
}

#[test]
fn a_callback_without_the_shape_of_its_response_is_rejected() {
    assert_eq!(
        violations(SHAPE, ""),
        ["paths./api/push/business.post.x-callback-response: is missing; refer to the schema of `response` in the \
          callbacks of the operation."]
    );
}

#[test]
fn a_shape_that_is_not_a_schema_of_the_document_is_rejected() {
    let rejected = "paths./api/pull/bank-feed.post.x-callback-response: must be a `$ref` to an object under \
                    components.schemas, which becomes a Rust type.";
    for other in [
        "#/components/responses/Error'\n      x-evidence",
        "#/components/schemas/Callback/properties'\n      x-evidence",
    ] {
        assert_eq!(violations(BANK_FEED, other), [rejected]);
    }
    assert_eq!(
        violations(BANK_FEED, "#/components/schemas/BankFed'\n      x-evidence"),
        [
            "paths./api/pull/bank-feed.post.x-callback-response: refers to `#/components/schemas/BankFed`, which does not \
          exist in the document."
        ]
    );
    let name = "      x-callback-response:\n        $ref: '#/components/schemas/BankFeedResponse'\n";
    assert_eq!(violations(name, "      x-callback-response: BankFeedResponse\n"), [rejected]);
}

#[test]
fn a_callback_to_another_address_or_with_another_method_is_rejected() {
    assert_eq!(
        violations(EXPRESSION, "'{$request.body#/hook}':"),
        [format!(
            "{LOCATION}: must have exactly the address `{{$request.body#/webhook}}`, to which callbacks are sent; found \
             `{{$request.body#/hook}}`."
        )]
    );
    let violations =
        violations(&format!("{EXPRESSION}\n            post:"), &format!("{EXPRESSION}\n            put:"));
    assert_eq!(
        violations.first(),
        Some(&format!("{LOCATION}.{{$request.body#/webhook}}: must have a `post` and nothing else; found `put`."))
    );
}

#[test]
fn a_mistake_in_a_callback_that_operations_share_is_reported_once_and_another_one_where_it_is() {
    let inline = "      callbacks:\n        outcome:\n          '{$request.body#/webhook}':\n            get: {}\n";
    let location = "paths./api/push/business/update.post.callbacks.outcome";
    assert_eq!(
        violations(ALIAS, inline),
        [format!("{location}.{{$request.body#/webhook}}: must have a `post` and nothing else; found `get`.")]
    );
}

#[test]
fn a_reference_to_a_callback_is_rejected() {
    let reference =
        "      callbacks:\n        outcome:\n          $ref: '#/paths/~1api~1push~1business/post/callbacks/outcome'\n";
    assert_eq!(
        violations(ALIAS, reference),
        [
            "paths./api/push/business/update.post.callbacks.outcome: is a `$ref`, which some generators reject; share the \
          callback by a YAML alias (`callbacks: *callbacks`)."
        ]
    );
}

#[test]
fn a_callback_without_evidence_is_rejected() {
    let location = format!("{LOCATION}.{{$request.body#/webhook}}.post");
    let evidence = "              x-evidence: assumed\n              security: []\n";
    assert_eq!(
        violations(evidence, "              security: []\n"),
        [format!(
            "{location}: has no `x-evidence`; callbacks are not specified, so say whether this is `observed` or `assumed`."
        )]
    );
    assert_eq!(
        violations(evidence, "              x-evidence: guessed\n              security: []\n"),
        [format!("{location}: must have `specified`, `observed` or `assumed` as its `x-evidence`.")]
    );
    assert_eq!(
        violations(evidence, "              x-evidnce: assumed\n              security: []\n").last(),
        Some(&format!("{location}.x-evidnce: is not a keyword of a callback; perhaps `x-evidence`."))
    );
}

#[test]
fn a_callback_without_a_description_or_a_success_status_is_rejected() {
    let location = format!("{LOCATION}.{{$request.body#/webhook}}.post");
    let status = "                '200':\n                  description: The callback was received.\n";
    assert_eq!(
        violations(status, ""),
        [format!("{location}.responses: must include `200`, with which a receiver accepts a callback.")]
    );
}

#[test]
fn a_callback_with_another_body_is_rejected() {
    let location = format!("{LOCATION}.{{$request.body#/webhook}}.post.requestBody");
    assert_eq!(
        violations(ENVELOPE, "                      type: object"),
        [
            format!(
                "{location}.content: must be exactly `application/json`, with a `$ref` to a schema under \
                 components.schemas."
            ),
            "components.schemas.Callback.properties.response: must have one `type` (string, boolean, number, integer or \
             array), or be a `$ref`, alone or in an `allOf` of one."
                .to_owned(),
        ]
    );
    assert_eq!(
        violations(ENVELOPE, "                      $ref: '#/components/schemas/CallbackReceived'"),
        [
            format!(
                "{location}: has no `response`, whose shape `x-callback-response` refers to; add this property to the \
                 schema."
            ),
            "components.schemas.Callback.properties.response: must have one `type` (string, boolean, number, integer or \
             array), or be a `$ref`, alone or in an `allOf` of one."
                .to_owned(),
        ]
    );
}

#[test]
fn callbacks_with_different_bodies_are_rejected() {
    let inline = "      callbacks:\n        outcome:\n          '{$request.body#/webhook}':\n            post:\n              \
                  description: x\n              x-evidence: assumed\n              requestBody:\n                content:\n                  \
                  application/json:\n                    schema:\n                      $ref: '#/components/schemas/Settlement'\n              \
                  responses:\n                '200':\n                  description: x\n";
    assert_eq!(
        violations(ALIAS, inline).first().map(String::as_str),
        Some(
            "paths: have callbacks with several bodies: `Callback`, `Settlement`; receivers need one that all callbacks share."
        )
    );
}

#[test]
fn the_schemas_of_callbacks_and_of_requests_are_known() -> Result<(), business_data_connector_document::Violations> {
    let document = Document::parse(CONNECTOR)?;
    assert_eq!(document.callback_envelope(), Some("Callback"));
    let (callbacks, requests) = (document.callback_components(), document.request_components());
    assert!(callbacks.is_superset(&["Callback", "CallbackReceived", "BankTransaction", "IncomeRecord"].into()));
    assert!(requests.contains("IncomeRecord") && !requests.contains("Callback") && !callbacks.contains("SaleRecord"));
    assert_eq!(callbacks.union(&requests).copied().collect::<Vec<_>>(), document.components());
    for operation in document.operations() {
        let takes_webhook = operation.required.iter().chain(&operation.optional).any(|field| field == "webhook");
        assert_eq!(operation.callback.is_some(), takes_webhook, "{}", operation.id);
    }
    Ok(())
}
