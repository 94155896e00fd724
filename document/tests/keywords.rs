//! Each place of the document has a closed list of keywords, whose values have one type.

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

#[test]
fn a_misspelt_keyword_is_rejected_with_the_one_that_was_probably_meant() {
    for (key, misspelt, location, likely) in [
        ("info:\n", "inof:\n", "inof: is not a keyword of the document", "info"),
        ("  title: B", "  titel: B", "info.titel: is not a keyword of `info`", "title"),
        ("    url: https", "    ulr: https", "info.license.ulr: is not a keyword of `license`", "url"),
        ("    variables:", "    varables:", "servers[0].varables: is not a keyword of a server", "variables"),
        ("        default: h", "        defualt: h", "servers[0].variables.base_url.defualt: is not a", "default"),
        (
            "  - name: push\n    description",
            "  - name: push\n    desciption",
            "tags[1].desciption: is not a keyword of a tag",
            "description",
        ),
        ("    post:", "    psot:", "paths./api/verify/apikey.psot: is not a keyword of a path", "post"),
        (
            "      x-effect:",
            "      x-efect:",
            "paths./api/verify/apikey.post.x-efect: is not a keyword of an operation",
            "x-effect",
        ),
        (
            "        required: true",
            "        requird: true",
            "requestBody.requird: is not a keyword of a request body",
            "required",
        ),
        (
            "            schema:",
            "            shema:",
            "application/json.shema: is not a keyword of a media type",
            "schema",
        ),
        (
            "          $ref: '#/components/responses",
            "          $rf: '#/components/responses",
            "200.$rf: is not a keyword of a response",
            "$ref",
        ),
        (
            "              summary: R",
            "              sumary: R",
            "post.sumary: is not a keyword of a callback",
            "summary",
        ),
        (
            "  securitySchemes:",
            "  securitySchema:",
            "components.securitySchema: is not a keyword of `components`",
            "securitySchemes",
        ),
        ("      in: header", "      inn: header", "headerKey.inn: is not a keyword of a security scheme", "in"),
        (
            "      required: [apikey",
            "      requird: [apikey",
            "VerifyApikeyRequest.requird: is not a keyword of a schema",
            "required",
        ),
        (
            "          example: demo",
            "          exmple: demo",
            "apikey.exmple: is not a keyword of a property",
            "example",
        ),
        ("            - $ref:", "            - $reff:", "allOf[0].$reff: is not a keyword of a reference", "$ref"),
        (
            "        properties:",
            "        propertes:",
            "ObservedReply.propertes: is not a keyword of a schema",
            "properties",
        ),
    ] {
        let found = violations(key, misspelt);
        let is_reported = |found: &String| found.contains(location) && found.ends_with(&format!("perhaps `{likely}`."));
        assert!(found.iter().any(is_reported), "{misspelt}: {found:#?}");
    }
}

#[test]
fn a_keyword_of_another_place_or_version_is_rejected() {
    for (before, added, expected) in [
        (
            "      x-effect: read",
            "      deprecated: true",
            "apikey.post.deprecated: is not a keyword of an operation; expected one of `x-destructive`, `x-callback-response`, `x-observed-required`, `x-upload`, `x-record`, `callbacks`.",
        ),
        (
            "          example: ZAR",
            "          examples: [ZAR]",
            "currency.examples: is not a keyword of a property; perhaps `example`.",
        ),
        (
            "          example: ZAR",
            "          const: ZAR",
            "currency.const: is not a keyword that a property may have.",
        ),
        (
            "          example: ZAR",
            "          x-internal: yes it is",
            "currency.x-internal: is not a keyword that a property may have.",
        ),
        (
            "    schemas:\n      Obs",
            "    links: {}",
            "components.x-observed.links: is not a keyword of `x-observed`; expected one of none.",
        ),
        ("tags:\n", "webhooks: {}", "webhooks: is not a keyword of the document; expected one of none."),
    ] {
        let found = violations(before, &format!("{added}\n{before}"));
        assert!(found.len() == 1 && found[0].ends_with(expected), "{added}: {found:#?}");
    }
}

#[test]
fn a_value_of_another_type_is_rejected() {
    for (from, to, expected) in [
        ("  title: Business Data Connector Service", "  title: 5", "info.title: must be text."),
        ("  title: Business Data Connector Service", "  title: ' '", "info.title: must be text."),
        ("info:\n", "info: []\nx:\n", "info: must be an object."),
        ("  - name: verify", "  - verify\n  - name: verify", "tags[0]: must be an object."),
        (
            "        required: true",
            "        required: 'true'",
            "paths./api/verify/apikey.post.requestBody.required: must be `true` or `false`.",
        ),
        (
            "      required: [apikey, appid]",
            "      required: apikey",
            "components.schemas.VerifyApikeyRequest.required: must be a list of different texts.",
        ),
        (
            "          example: ZAR",
            "          minLength: -1\n          example: ZAR",
            "currency.minLength: must be a whole number, from 0.",
        ),
        (
            "          example: 19.99",
            "          minimum: '0'\n          example: 19.99",
            "amount.minimum: must be a number.",
        ),
        (
            "              security: []",
            "              security: [a]",
            "{$request.body#/webhook}.post.security: must be `[]`.",
        ),
        ("          allOf:\n            - $ref", "          allOf:\n              $ref", "data.allOf: must be a list."),
        (
            "'#/components/responses/Success'",
            "'#/components/schemas/IncomeRecord'",
            "200.$ref: must begin with `#/components/responses/`, followed by a name.",
        ),
    ] {
        let found = violations(from, to);
        assert!(found.iter().any(|found| found.ends_with(expected)), "{to}: {found:#?}");
    }
}

#[test]
fn a_member_that_is_missing_is_reported_where_it_belongs() {
    for (from, expected) in [
        ("  title: Business Data Connector Service\n", "info: has no `title`; add it."),
        ("    name: MIT OR Apache-2.0\n", "info.license: has no `name`; add it."),
        ("        required: true\n", "paths./api/verify/apikey.post.requestBody: has no `required`; add it."),
        ("      description: Success, without content.\n", "components.responses.Success: must be an object."),
        ("      in: header\n", "components.securitySchemes.headerKey: has no `in`; add it."),
    ] {
        let found = violations(from, "");
        assert!(found.iter().any(|found| found == expected), "{from}: {found:#?}");
    }
}

#[test]
fn a_misspelt_member_of_an_extension_is_rejected_with_the_one_that_was_probably_meant() {
    let found = violations("        pulled-by: pull_income", "        pulled_by: pull_income");
    let expected =
        "paths./api/push/income.post.x-record.pulled_by: is not a keyword of `x-record`; perhaps `pulled-by`.";
    assert!(found.iter().any(|found| found == expected), "{found:#?}");
}

#[test]
fn a_name_that_the_rust_client_needs_is_rejected() {
    let property =
        |name: &str| format!("        {name}:\n          type: string\n          description: x\n        productid:\n");
    let location = "components.schemas.IncomeRecord.properties";
    for name in ["new", "New", "maybe_feeid", "maybe-feeid"] {
        let expected = format!(
            "{location}.{name}: would have a setter with the name of the constructor, or of the `maybe_` setter of another \
             property; rename the property."
        );
        assert_eq!(violations("        productid:\n", &property(name)), [expected]);
    }
    for name in ["newer", "maybe_", "timeout", "maybe_other"] {
        assert_eq!(violations("        productid:\n", &property(name)), [""; 0]);
    }
    let request = "        uid:\n          type: string\n          description: Identifier of the linked business";
    let (before, after) = CONNECTOR.split_at(CONNECTOR.find("    PullBankFeedRequest:").unwrap_or_default());
    for name in ["timeout", "with", "retry_policy", "retryPolicy"] {
        let added = format!("        {name}:\n          type: string\n          description: x\n{request}");
        let error = Document::parse(&format!("{before}{}", after.replacen(request, &added, 1))).err();
        let found: Vec<_> = error.iter().flat_map(|all| all.iter()).map(|found| found.problem.as_str()).collect();
        assert_eq!(found, ["is also the name of a method of `Call`; rename the property."], "{name}");
    }
    let decimal = "    Decimal:\n      type: object\n      description: x\n      properties: {}\n    IncomeRecord:\n";
    let expected =
        "components.schemas.Decimal: has a name that is reserved for the Rust type of `type: number`; choose another.";
    assert_eq!(violations("    IncomeRecord:\n", decimal), [expected]);
}

#[test]
fn a_name_that_a_list_repeats_is_rejected() {
    assert_eq!(
        violations("      required: [apikey, appid]", "      required: [apikey, appid, apikey]"),
        ["components.schemas.VerifyApikeyRequest.required: must be a list of different texts."]
    );
}

#[test]
fn a_limit_without_an_effect_is_rejected() {
    let location = "components.schemas.IncomeRecord.properties";
    let (text, amount) = ("          example: ZAR", "          example: 19.99");
    for (before, limits, expected) in [
        (text, "minimum: 0", "currency.minimum: has no effect here, only on the types `number`, `integer`; remove it."),
        (text, "minItems: 1", "currency.minItems: has no effect here, only on the types `array`; remove it."),
        (amount, "maxLength: 5", "amount.maxLength: has no effect here, only on the types `string`; remove it."),
        (amount, "exclusiveMaximum: true", "amount.exclusiveMaximum: has no effect without `maximum`; add it."),
        (amount, "multipleOf: 0", "amount.multipleOf: must be more than 0."),
        (amount, "minimum: 5\n          maximum: 4.5", "amount.minimum: is more than `maximum`; no value is valid."),
        (
            text,
            "minLength: 5\n          maxLength: 4",
            "currency.minLength: is more than `maxLength`; no value is valid.",
        ),
    ] {
        assert_eq!(violations(before, &format!("          {limits}\n{before}")), [format!("{location}.{expected}")]);
    }
    for (before, limits) in
        [(text, "minLength: 3\n          maxLength: 3"), (amount, "minimum: 0\n          exclusiveMinimum: true")]
    {
        assert_eq!(violations(before, &format!("          {limits}\n{before}")), [""; 0]);
    }
}
