//! An invalid document is rejected with its violations, each of which names its location.

use business_data_connector_document::Document;

const CONNECTOR: &str = include_str!("../../openapi/connector.yaml");

/// The violations in the document after one replacement, whose original text must exist, without their places.
fn violations(from: &str, to: &str) -> Vec<String> {
    assert!(CONNECTOR.contains(from), "{from:?} is not in the document");
    match Document::parse(&CONNECTOR.replacen(from, to, 1)) {
        Ok(_) => Vec::new(),
        Err(violations) => violations.iter().map(|found| format!("{}: {}", found.location, found.problem)).collect(),
    }
}

/// One edit leads to exactly these violations.
macro_rules! refused {
    ($($name:ident: $from:expr => $to:expr, $expected:expr;)*) => {$(
        #[test]
        fn $name() {
            assert_eq!(violations($from, $to), $expected);
        }
    )*};
}

refused! {
    a_document_of_another_version: "openapi: 3.0.3" => "openapi: 3.1.0",
        ["openapi: is 3.1.0, but only OpenAPI 3.0.x is supported, as the generator reads no other; write it as 3.0.3."];
    a_document_without_a_version: "openapi: 3.0.3" => "swagger: '2.0'",
        ["openapi: is missing, so this is not an OpenAPI document; add `openapi: 3.0.3`."];
    a_dangling_reference: "'#/components/schemas/IncomeRecord'" => "'#/components/schemas/Incom'",
        ["components.schemas.PushIncomeRequest.properties.data.allOf[0]: refers to `#/components/schemas/Incom`, which does not exist in the document."];
    a_reference_to_another_file: "'#/components/responses/Success'" => "'other.yaml#/Success'",
        ["paths./api/verify/apikey.post.responses.200: refers to `other.yaml#/Success`, which does not exist in the document."];
    text_beside_a_reference: "          $ref: '#/components/responses/Error'" => "          $ref: '#/components/responses/Error'\n          description: x",
        ["paths./api/verify/apikey.post.responses.400: has keywords beside a `$ref`, which OpenAPI 3.0 ignores; wrap the `$ref` in `allOf: [...]`."];
    an_inline_object: "          allOf:\n            - $ref: '#/components/schemas/SalePayment'" => "          type: object",
        ["components.schemas.SaleRecord.properties.payment: is an inline object, whose generated name would depend on its location; move it to components.schemas and refer to it."];
    an_inline_object_in_a_list: "            $ref: '#/components/schemas/SaleItem'" => "            type: object",
        ["components.schemas.SaleRecord.properties.items.items: is an inline object, whose generated name would depend on its location; move it to components.schemas and refer to it."];
    an_inline_request: "              $ref: '#/components/schemas/PushResetRequest'" => "              type: object",
        ["paths./api/push/reset.post.requestBody.content.application/json.schema: must be a `$ref` to a schema under components.schemas, which gives the generated type a stable name."];
    an_operation_id_used_twice: "operationId: push_expense" => "operationId: push_income",
        ["paths./api/push/income.post.operationId: is already used by /api/push/expense; operation IDs must be unique."];
    an_operation_id_of_another_group: "operationId: push_income" => "operationId: new",
        ["paths./api/push/income.post.operationId: `new` must be in snake_case and begin with the tag of the operation: `push_...`."];
    an_operation_id_in_camel_case: "operationId: push_income" => "operationId: pushIncome",
        ["paths./api/push/income.post.operationId: `pushIncome` must be in snake_case and begin with the tag of the operation: `push_...`."];
    a_default_next_to_200: "        '400':" => "        default:\n          description: x\n        '400':",
        ["paths./api/verify/apikey.post.responses.default: declares a second success response beside `200`; list statuses instead. Unlisted ones are tolerated anyway."];
    a_closed_enum: "          example: ZAR" => "          enum: [ZAR]",
        ["components.schemas.IncomeRecord.properties.currency.enum: restricts a value that the interface leaves open; mention the usual values in the `description` instead."];
    a_get: "    post:\n      operationId: push_reset" => "    get: {}\n    post:\n      operationId: push_reset",
        ["paths./api/push/reset.get: is not allowed; a path may only have a `post`."];
    a_body_that_is_not_json: "          application/json:" => "          text/csv:",
        ["paths./api/verify/apikey.post.requestBody.content: must be exactly `application/json`; found `text/csv`."];
    two_kinds_of_body: "          application/json:" => "          text/csv: {}\n          application/json:",
        ["paths./api/verify/apikey.post.requestBody.content: must be exactly `application/json`; found `application/json`, `text/csv`."];
    a_parameter: "      x-effect: read" => "      parameters: []\n      x-effect: read",
        ["paths./api/verify/apikey.post.parameters: are not supported; a request consists of a JSON body and the header named under `security`."];
    a_path_parameter: "  /api/push/reset:" => "  /api/push/{uid}:",
        ["paths./api/push/{uid}: must begin with `/` and contain no parameters; all input is sent in the JSON body."];
    a_closed_record: "    SaleItem:\n      type: object" => "    SaleItem:\n      type: object\n      additionalProperties: false",
        ["components.schemas.SaleItem.additionalProperties: must not be set, because readers have to tolerate fields that are added later."];
    a_record_with_the_reserved_name: "  schemas:" => "  schemas:\n    Requests:\n      type: object\n      description: x\n      properties: {}",
        ["components.schemas.Requests: has a name that is reserved for the generated schema of all types; choose another."];
    a_required_field_that_is_not_a_property: "required: [apikey, appid, email]" => "required: [apikey, appid, email, phone]",
        ["components.schemas.PullBusinessRequest.required: lists \"phone\", which is not a property."];
    a_property_without_a_type: "          type: boolean" => "          title: x",
        ["components.schemas.BusinessData.properties.vatregistered: must have one `type` (string, boolean, number, integer or array), or be a `$ref`, alone or in an `allOf` of one."];
    a_choice_of_types: "          type: boolean" => "          oneOf: []",
        [
            "components.schemas.BusinessData.properties.vatregistered: must have one `type` (string, boolean, number, integer or array), or be a `$ref`, alone or in an `allOf` of one.",
            "components.schemas.BusinessData.properties.vatregistered.oneOf: is not a keyword that a property may have.",
        ];
    a_named_plain_value: "  schemas:" => "  schemas:\n    Amount:\n      type: number",
        ["components.schemas.Amount: must have `type: object` and `properties`; define a plain value inline, where it is used."];
    names_that_become_one_in_rust: "        address2:" => "        Address:\n          type: string\n          description: x\n        address2:",
        ["components.schemas.SaleCustomer.properties: has `Address` and `address`, which both become `address` in Rust; rename one."];
    a_schema_name_that_is_not_a_type_name: "    SaleItem:" => "    sale_item:\n      type: object\n      description: x\n      properties: {}\n    SaleItem:",
        [
            "components.schemas: has `SaleItem` and `sale_item`, which both become `SaleItem` in Rust; rename one.",
            "components.schemas.sale_item: must be in PascalCase, because it becomes the name of a Rust type.",
        ];
    a_block_of_code_in_a_description: "          description: Second line of the address." => "          description: |-\n            See\n\n                code",
        ["components.schemas.SaleCustomer.properties.address2.description: contains an indented or fenced block, which rustdoc would compile as a test; use inline `code` instead."];
    a_missing_description: "          description: Second line of the address.\n" => "",
        ["components.schemas.SaleCustomer.properties.address2: has no `description`; add one, from which the documentation is generated."];
    an_unknown_effect: "      x-effect: read" => "      x-effect: reed",
        ["paths./api/verify/apikey.post: must have one of `read`, `write` as its `x-effect`."];
    an_observed_field_that_does_not_exist: "x-observed-required: [businessname," => "x-observed-required: [busynessname,",
        ["paths./api/push/business.post.x-observed-required: must list properties of the record that `data` refers to."];
    a_read_that_is_destructive: "      x-effect: read" => "      x-effect: read\n      x-destructive: true",
        ["paths./api/verify/apikey.post.x-destructive: contradicts `x-effect: read`; remove one of them."];
    a_write_that_is_not_quite_destructive: "      x-destructive: true" => "      x-destructive: 'yes'",
        ["paths./api/push/business/update.post.x-destructive: must be `true`; remove it from an operation that is not destructive."];
    an_observed_reply_of_an_unknown_shape: "/x-observed/schemas/ObservedReply" => "/x-observed/schemas/ObservedReplies",
        ["components.x-observed.responses.Success.content.application/json.schema: refers to `#/components/x-observed/schemas/ObservedReplies`, which does not exist in the document."];
    a_missing_effect: "      x-effect: read\n" => "",
        ["paths./api/verify/apikey.post: must have one of `read`, `write` as its `x-effect`."];
    an_unknown_sensitivity: "          x-sensitive: value" => "          x-sensitive: very",
        ["components.schemas.VerifyApikeyRequest.properties.apikey: must have `value` or `query` as its `x-sensitive`, and `type: string`."];
    a_misspelt_extension: "          x-sensitive: value" => "          x-sensitve: value",
        ["components.schemas.VerifyApikeyRequest.properties.apikey.x-sensitve: is not a keyword of a property; perhaps `x-sensitive`."];
    an_extension_on_the_items_of_a_list: "            $ref: '#/components/schemas/SaleItem'" => "            type: string\n            x-sensitive: value",
        ["components.schemas.SaleRecord.properties.items.items: has an extension, which would be ignored there; move it to the array."];
    an_unknown_evidence: "            required nor optional.\n          x-evidence: assumed" => "            required nor optional.\n          x-evidence: guessed",
        ["components.schemas.PushBusinessRequest.properties.data: must have `specified`, `observed` or `assumed` as its `x-evidence`."];
    a_request_without_a_credential: "        apikey:\n          type: string\n          description: API key of the caller.\n          x-sensitive: value\n          example: demo-apikey\n" => "",
        [
            "components.schemas.VerifyApikeyRequest.required: lists \"apikey\", which is not a property.",
            "components.schemas.VerifyApikeyRequest.properties: has no `apikey`; every request body must have this property.",
        ];
    a_request_schema_of_two_operations: "schemas/PushExpenseRequest'" => "schemas/PushIncomeRequest'",
        [
            "paths./api/push/income.post.x-record: is about IncomeRecord, as the one of /api/push/expense is; a record is pushed by one operation.",
            "paths./api/push/income.post.requestBody: uses the same request schema as /api/push/expense; each operation needs its own, which becomes its Rust type.",
            "paths./api/push/expense.post.x-record.batch: must be an operation whose `data` has a list of IncomeRecord as its `expenses`.",
        ];
    a_misspelt_extension_of_a_record: "      description: Income of a business. Which fields are required is not shown.\n      x-evidence" => "      description: Income of a business. Which fields are required is not shown.\n      x-evidnce",
        ["components.schemas.IncomeRecord.x-evidnce: is not a keyword of a schema; perhaps `x-evidence`."];
    a_version_that_yaml_reads_as_a_number: "openapi: 3.0.3" => "openapi: 3.0",
        ["openapi: is 3.0, which is not a string; write `openapi: 3.0.3`."];
    a_reference_to_something_other_than_a_schema: "'#/components/schemas/SaleCustomer'" => "'#/components/responses/Success'",
        ["components.schemas.SaleRecord.properties.customer: must refer to a schema directly under components.schemas."];
    a_reference_into_a_schema: "'#/components/schemas/SaleCustomer'" => "'#/components/schemas/SaleCustomer/properties/id'",
        ["components.schemas.SaleRecord.properties.customer: must refer to a schema directly under components.schemas."];
    null_beside_a_reference: "          allOf:\n            - $ref: '#/components/schemas/SalePayment'" => "          nullable: true\n          allOf:\n            - $ref: '#/components/schemas/SalePayment'",
        ["components.schemas.SaleRecord.properties.payment: has `nullable` beside a reference, where it has no effect in OpenAPI 3.0; remove it."];
    a_record_that_contains_itself: "        quantity:" => "        parts:\n          type: array\n          description: x\n          items:\n            $ref: '#/components/schemas/SaleItem'\n        quantity:",
        ["components.schemas.SaleItem: contains itself through `parts`; break the cycle, since no Rust type of finite size can represent it."];
    an_example_of_another_type: "          example: '8001'" => "          example: 8001",
        ["components.schemas.SaleCustomer.properties.postalcode.example: does not have `type: string`; put a string that looks like another type in quotes."];
    a_limit_without_an_example: "          example: '8001'" => "          maxLength: 5",
        ["components.schemas.SaleCustomer.properties.postalcode: has a `maxLength` but no `example`; add a valid one, from which the test vectors are generated."];
    an_unknown_security_scheme: "        - headerKey: []" => "        - headrKey: []",
        ["paths./api/push/business.post.security: must be `[]`, or list exactly one scheme from components.securitySchemes: an `apiKey` in the `header`."];
    a_missing_security: "      security: []\n" => "",
        ["paths./api/verify/apikey.post.security: must be `[]`, or list exactly one scheme from components.securitySchemes: an `apiKey` in the `header`."];
    a_version_that_is_not_ascii: "  version: 0.1.0" => "  version: 0.1.0–β",
        ["info.version: must be a non-empty ASCII string."];
}

#[test]
fn text_that_is_not_yaml_or_not_a_document_is_rejected() {
    for (text, expected) in [
        ("{", "document: is not valid YAML"),
        ("", "openapi: is missing"),
        ("- a", "openapi: is missing"),
        ("openapi: 3.0.3", "paths: is missing;"),
        ("openapi: 3.0.3\npaths: {/a: 5}", "paths./a: must be an object with a `post`."),
        ("openapi: 3.0.3\npaths: {/a: {post: 5}}", "paths./a.post: has no `operationId`;"),
        ("openapi: 3.0.3\ncomponents: {schemas: {A: 5}}", "components.schemas.A: must have `type: object`"),
    ] {
        let violations = Document::parse(text).err().map(|violations| violations.to_string()).unwrap_or_default();
        assert!(violations.contains(expected), "{text:?}: {violations}");
    }
}

#[test]
fn all_violations_are_reported_not_only_the_first() {
    let text = CONNECTOR.replace("x-effect: read", "x-effect: reed");
    assert_eq!(Document::parse(&text).err().map(|violations| violations.iter().count()), Some(5));
}
