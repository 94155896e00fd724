//! What is wrong with a document is said in a sentence, with the place.

use business_data_connector_document::Document;

const CONNECTOR: &str = include_str!("../../openapi/connector.yaml");

/// The faults of the document after one replacement, which must have something to replace.
fn faults(from: &str, to: &str) -> Vec<String> {
    assert!(CONNECTOR.contains(from), "{from:?} is not in the document");
    match Document::parse(&CONNECTOR.replacen(from, to, 1)) {
        Ok(_) => Vec::new(),
        Err(faults) => faults.iter().map(ToString::to_string).collect(),
    }
}

/// One edit leads to exactly these faults.
macro_rules! refused {
    ($($name:ident: $from:expr => $to:expr, $wanted:expr;)*) => {$(
        #[test]
        fn $name() {
            assert_eq!(faults($from, $to), $wanted);
        }
    )*};
}

refused! {
    a_document_of_another_version: "openapi: 3.0.3" => "openapi: 3.1.0",
        ["openapi: is 3.1.0, but only 3.0.x can be read: the generator knows no other. Write the document as 3.0.3."];
    a_document_without_a_version: "openapi: 3.0.3" => "swagger: '2.0'",
        ["openapi: is missing: this is not an OpenAPI document. It must say `openapi: 3.0.3`."];
    a_dangling_reference: "'#/components/schemas/IncomeRecord'" => "'#/components/schemas/Incom'",
        ["components.schemas.PushIncomeRequest.properties.data.allOf[0]: refers to `#/components/schemas/Incom`, which is not in the document."];
    a_reference_to_another_file: "'#/components/responses/Success'" => "'other.yaml#/Success'",
        ["paths./api/verify/apikey.post.responses.200: refers to `other.yaml#/Success`, which is not in the document."];
    text_beside_a_reference: "          $ref: '#/components/responses/Error'" => "          $ref: '#/components/responses/Error'\n          description: x",
        ["paths./api/verify/apikey.post.responses.400: has text beside a `$ref`, which OpenAPI 3.0 ignores; wrap the `$ref` into `allOf: [...]`."];
    an_inline_object: "          allOf:\n            - $ref: '#/components/schemas/SalePayment'" => "          type: object",
        ["components.schemas.SaleRecord.properties.payment: is an inline object, whose generated name would depend on its place; move it to components.schemas and refer to it."];
    an_inline_object_in_a_list: "            $ref: '#/components/schemas/SaleItem'" => "            type: object",
        ["components.schemas.SaleRecord.properties.items.items: is an inline object, whose generated name would depend on its place; move it to components.schemas and refer to it."];
    an_inline_request: "              $ref: '#/components/schemas/PushResetRequest'" => "              type: object",
        ["paths./api/push/reset.post.requestBody.content.application/json.schema: must be a `$ref` to a request schema under components.schemas, so that its name depends on no order."];
    an_operation_id_used_twice: "operationId: push_expense" => "operationId: push_income",
        ["paths./api/push/income.post.operationId: is already that of /api/push/expense; each needs its own."];
    an_operation_id_of_another_group: "operationId: push_income" => "operationId: new",
        ["paths./api/push/income.post.operationId: `new` must be snake_case and begin with the tag of the operation: `push_...`."];
    an_operation_id_in_camel_case: "operationId: push_income" => "operationId: pushIncome",
        ["paths./api/push/income.post.operationId: `pushIncome` must be snake_case and begin with the tag of the operation: `push_...`."];
    a_default_next_to_200: "        '400':" => "        default:\n          description: x\n        '400':",
        ["paths./api/verify/apikey.post.responses.default: stands next to `200`: two kinds of success. Name the statuses; any other is accepted from the service anyway."];
    a_closed_enum: "          example: ZAR" => "          enum: [ZAR]",
        ["components.schemas.IncomeRecord.properties.currency.enum: closes a value that the interface leaves open; say the usual values in the `description`."];
    a_get: "    post:\n      operationId: push_reset" => "    get: {}\n    post:\n      operationId: push_reset",
        ["paths./api/push/reset.get: is not allowed: a path has one POST, and nothing beside it."];
    a_body_that_is_not_json: "          application/json:" => "          text/csv:",
        ["paths./api/verify/apikey.post.requestBody.content: must be exactly one, `application/json`; found `text/csv`."];
    two_kinds_of_body: "          application/json:" => "          text/csv: {}\n          application/json:",
        ["paths./api/verify/apikey.post.requestBody.content: must be exactly one, `application/json`; found `application/json`, `text/csv`."];
    a_parameter: "      x-effect: read" => "      parameters: []\n      x-effect: read",
        ["paths./api/verify/apikey.post.parameters: are not supported: a request is a JSON body, and the header that `security` names."];
    a_path_parameter: "  /api/push/reset:" => "  /api/push/{uid}:",
        ["paths./api/push/{uid}: must begin with `/` and hold no parameters: everything travels in the JSON body."];
    a_closed_record: "    SaleItem:\n      type: object" => "    SaleItem:\n      type: object\n      additionalProperties: false",
        ["components.schemas.SaleItem.additionalProperties: must not be there: a reader of today must bear the fields of tomorrow."];
    a_record_named_as_what_gathers_all: "  schemas:" => "  schemas:\n    Requests:\n      type: object\n      description: x\n      properties: {}",
        ["components.schemas.Requests: has the name of the emitted schema in which every type stands; take another."];
    a_required_field_that_is_no_property: "required: [apikey, appid, email]" => "required: [apikey, appid, email, phone]",
        ["components.schemas.PullBusinessRequest.required: lists \"phone\", which is not a property."];
    a_property_without_a_type: "          type: boolean" => "          title: x",
        ["components.schemas.BusinessData.properties.vatregistered: must have one `type` (string, boolean, number, integer, array), or be a `$ref`, alone or in an `allOf` of one."];
    a_choice_of_types: "          type: boolean" => "          oneOf: []",
        ["components.schemas.BusinessData.properties.vatregistered: must have one `type` (string, boolean, number, integer, array), or be a `$ref`, alone or in an `allOf` of one."];
    a_named_plain_value: "  schemas:" => "  schemas:\n    Amount:\n      type: number",
        ["components.schemas.Amount: must be of `type: object` with `properties`; a plain value belongs where it is used, without a name."];
    names_that_become_one_in_rust: "        address2:" => "        Address:\n          type: string\n          description: x\n        address2:",
        ["components.schemas.SaleCustomer.properties: has `Address` and `address`, which both become `address` in Rust."];
    a_schema_name_that_is_no_type_name: "    SaleItem:" => "    sale_item:\n      type: object\n      description: x\n      properties: {}\n    SaleItem:",
        [
            "components.schemas: has `SaleItem` and `sale_item`, which both become `SaleItem` in Rust.",
            "components.schemas.sale_item: must be in PascalCase, as the type that it becomes.",
        ];
    a_block_of_code_in_a_description: "          description: Second line of the address." => "          description: |-\n            See\n\n                code",
        ["components.schemas.SaleCustomer.properties.address2.description: has an indented or fenced block, which rustdoc would compile as a test; write it as `code` in the line."];
    a_missing_description: "          description: Second line of the address.\n" => "",
        ["components.schemas.SaleCustomer.properties.address2: has no `description`; the documentation is made from it."];
    an_unknown_effect: "      x-effect: read" => "      x-effect: reed",
        ["paths./api/verify/apikey.post: needs `x-effect` to be one of `read`, `write`."];
    an_observed_field_that_is_none: "x-observed-required: [businessname," => "x-observed-required: [busynessname,",
        ["paths./api/push/business.post.x-observed-required: must list properties of the record that `data` refers to."];
    a_missing_effect: "      x-effect: read\n" => "",
        ["paths./api/verify/apikey.post: needs `x-effect` to be one of `read`, `write`."];
    an_unknown_sensitivity: "          x-sensitive: value" => "          x-sensitive: very",
        ["components.schemas.VerifyApikeyRequest.properties.apikey: needs `x-sensitive` to be `value` or `query`, on a `type: string`."];
    a_misspelt_extension: "          x-sensitive: value" => "          x-sensitve: value",
        ["components.schemas.VerifyApikeyRequest.properties.apikey: has `x-sensitve`, which is not known here."];
    an_extension_on_the_items_of_a_list: "            $ref: '#/components/schemas/SaleItem'" => "            type: string\n            x-sensitive: value",
        ["components.schemas.SaleRecord.properties.items.items: has an extension, which nothing looks for there; put it on the list."];
    an_unknown_evidence: "          x-evidence: assumed" => "          x-evidence: guessed",
        ["components.schemas.PushBusinessRequest.properties.data: needs `x-evidence` to be `specified`, `observed` or `assumed`."];
    a_request_without_a_credential: "        apikey:\n          type: string\n          description: API key of the caller.\n          x-sensitive: value\n          example: demo-apikey\n" => "",
        [
            "components.schemas.VerifyApikeyRequest.properties: has no `apikey`, which every operation carries in its body.",
            "components.schemas.VerifyApikeyRequest.required: lists \"apikey\", which is not a property.",
        ];
    a_request_schema_of_two_operations: "schemas/PushExpenseRequest'" => "schemas/PushIncomeRequest'",
        ["paths./api/push/income.post.requestBody: is the request schema of /api/push/expense; each operation needs its own, which is its type in Rust."];
    a_misspelt_extension_of_a_record: "      description: Income of a business. Which fields are required is not shown.\n      x-evidence" => "      description: Income of a business. Which fields are required is not shown.\n      x-evidnce",
        ["components.schemas.IncomeRecord: has `x-evidnce`, which is not known here."];
    a_version_that_yaml_takes_for_a_number: "openapi: 3.0.3" => "openapi: 3.0",
        ["openapi: is 3.0, which is not text; write `openapi: 3.0.3`."];
    a_reference_to_something_that_is_no_schema: "'#/components/schemas/SaleCustomer'" => "'#/components/responses/Success'",
        ["components.schemas.SaleRecord.properties.customer: refers to something else than a schema under components.schemas."];
    a_reference_into_a_schema: "'#/components/schemas/SaleCustomer'" => "'#/components/schemas/SaleCustomer/properties/id'",
        ["components.schemas.SaleRecord.properties.customer: refers to something else than a schema under components.schemas."];
    null_beside_a_reference: "          allOf:\n            - $ref: '#/components/schemas/SalePayment'" => "          nullable: true\n          allOf:\n            - $ref: '#/components/schemas/SalePayment'",
        ["components.schemas.SaleRecord.properties.payment: has `nullable` beside a reference, where OpenAPI 3.0 gives it no meaning; leave it out."];
    a_record_that_is_a_part_of_itself: "        quantity:" => "        parts:\n          type: array\n          description: x\n          items:\n            $ref: '#/components/schemas/SaleItem'\n        quantity:",
        ["components.schemas.SaleItem: is a part of itself: by `parts`."];
    an_example_of_another_type: "          example: '8001'" => "          example: 8001",
        ["components.schemas.SaleCustomer.properties.postalcode.example: is not of `type: string`; text that looks like something else is put in quotes."];
    a_limit_without_an_example: "          example: '8001'" => "          maxLength: 5",
        ["components.schemas.SaleCustomer.properties.postalcode: has a `maxLength` and no `example`, which the vectors would be made of."];
    an_unknown_security_scheme: "        - headerKey: []" => "        - headrKey: []",
        ["paths./api/push/business.post.security: must be `[]`, or list exactly one scheme of components.securitySchemes that is an `apiKey` in the `header`."];
    no_word_on_security: "      security: []\n" => "",
        ["paths./api/verify/apikey.post.security: must be `[]`, or list exactly one scheme of components.securitySchemes that is an `apiKey` in the `header`."];
    a_version_that_is_not_ascii: "  version: 0.1.0" => "  version: 0.1.0–β",
        ["info.version: must be ASCII text."];
}

#[test]
fn the_same_key_twice() {
    let twice = faults("  /api/push/income:", "  /api/push/expense:");
    assert_eq!(twice.len(), 1);
    assert!(twice[0].starts_with("document: is not YAML: ") && twice[0].contains("/api/push/expense"), "{twice:?}");
}

#[test]
fn what_is_no_yaml_or_no_document() {
    for (text, wanted) in [
        ("{", "document: is not YAML"),
        ("", "openapi: is missing"),
        ("- a", "openapi: is missing"),
        ("openapi: 3.0.3", "paths: is missing."),
        ("openapi: 3.0.3\npaths: {/a: 5}", "paths./a: must be an object with a `post`."),
        ("openapi: 3.0.3\npaths: {/a: {post: 5}}", "paths./a.post: has no `operationId`."),
        ("openapi: 3.0.3\ncomponents: {schemas: {A: 5}}", "components.schemas.A: must be of `type: object`"),
    ] {
        let faults = Document::parse(text).err().map(|faults| faults.to_string()).unwrap_or_default();
        assert!(faults.contains(wanted), "{text:?}: {faults}");
    }
}

#[test]
fn every_fault_is_told_not_only_the_first() {
    let text = CONNECTOR.replace("x-effect: read", "x-effect: reed");
    assert_eq!(Document::parse(&text).err().map(|faults| faults.iter().count()), Some(5));
}
