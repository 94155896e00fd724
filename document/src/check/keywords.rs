//! Which keywords and extensions each place of the document may have. Any other would be ignored by some reader.

use super::shape::{Kind, Member, Shape, may, must};
use Kind::{Any, Checked, Count, Empty, Flag, List, Map, Names, Number, Object, Refused, Statuses, Text};

/// The document itself.
pub(super) static DOCUMENT: Shape = Shape::new(
    "the document",
    &[
        may("openapi", Checked),
        must("info", Object(&INFO)),
        must("servers", List(&Object(&SERVER))),
        must("tags", List(&Object(&TAG))),
        may("paths", Map(&Object(&PATH))),
        must("components", Object(&COMPONENTS)),
    ],
);

static INFO: Shape = Shape::new(
    "`info`",
    &[
        must("title", Text),
        may("version", Checked),
        must("description", Text),
        may("termsOfService", Text),
        may("contact", Object(&Shape::new("`contact`", &[may("name", Text), may("url", Text), may("email", Text)]))),
        may("license", Object(&Shape::new("`license`", &[must("name", Text), may("url", Text)]))),
    ],
);

static SERVER: Shape = Shape::new(
    "a server",
    &[must("url", Text), must("description", Text), may("variables", Map(&Object(&SERVER_VARIABLE)))],
);

static SERVER_VARIABLE: Shape =
    Shape::new("a server variable", &[must("default", Text), must("description", Text), may("enum", Names)]);

static TAG: Shape = Shape::new("a tag", &[must("name", Text), must("description", Text)]);

/// `paths` refuses the other methods, with its reason.
static PATH: Shape = Shape::new(
    "a path",
    &[
        must("post", Object(&OPERATION)),
        may("get", Refused),
        may("put", Refused),
        may("delete", Refused),
        may("options", Refused),
        may("head", Refused),
        may("patch", Refused),
        may("trace", Refused),
        may("parameters", Refused),
    ],
);

static OPERATION: Shape = Shape::new(
    "an operation",
    &[
        may("operationId", Checked),
        may("tags", Checked),
        may("summary", Checked),
        may("description", Checked),
        may("x-effect", Checked),
        may("x-destructive", Checked),
        may("x-asynchronous", Checked),
        may("x-callback-response", Checked),
        may("x-evidence", Checked),
        may("x-observed-required", Checked),
        may("x-upload", Checked),
        may("x-record", Object(&RECORD)),
        may("security", Checked),
        may("parameters", Refused),
        must("requestBody", Object(&REQUEST_BODY)),
        must("responses", Statuses(&Object(&RESPONSE))),
        may("callbacks", Map(&Map(&Object(&CALLBACK_PATH)))),
    ],
);

/// `record` checks the values.
static RECORD: Shape = Shape::new(
    "`x-record`",
    &[may("id", Checked), may("batch", Checked), may("batch-member", Checked), may("pulled-by", Checked)],
);

static REQUEST_BODY: Shape = Shape::new(
    "a request body",
    &[must("required", Flag), may("description", Text), must("content", Map(&Object(&REQUEST_CONTENT)))],
);

/// `paths` and `callbacks` check where the schema is.
static REQUEST_CONTENT: Shape = Shape::new("a media type", &[may("schema", Checked)]);

static RESPONSE: Shape = Shape::referring(
    "a response",
    "#/components/responses/",
    &[must("description", Text), may("content", Map(&Object(&RESPONSE_CONTENT)))],
);

static RESPONSE_CONTENT: Shape =
    Shape::new("a media type", &[must("schema", Object(&RESPONSE_SCHEMA)), may("example", Any)]);

static RESPONSE_SCHEMA: Shape = Shape::referring("the schema of a response", "#/components/x-observed/schemas/", &[]);

/// `callbacks` refuses other methods, with its reason.
static CALLBACK_PATH: Shape = Shape::new(
    "the path of a callback",
    &[may("post", Object(&CALLBACK)), may("get", Refused), may("put", Refused), may("patch", Refused)],
);

static CALLBACK: Shape = Shape::new(
    "a callback",
    &[
        must("summary", Text),
        may("description", Checked),
        may("x-evidence", Checked),
        must("security", Empty),
        must("requestBody", Object(&REQUEST_BODY)),
        must("responses", Statuses(&Object(&RESPONSE))),
    ],
);

static COMPONENTS: Shape = Shape::new(
    "`components`",
    &[
        may("securitySchemes", Map(&Object(&SECURITY_SCHEME))),
        may("responses", Map(&Object(&RESPONSE))),
        may("schemas", Map(&Object(&SCHEMA))),
        may("x-observed", Object(&OBSERVED)),
    ],
);

static SECURITY_SCHEME: Shape = Shape::new(
    "a security scheme",
    &[must("type", Text), must("in", Text), must("name", Text), must("description", Text)],
);

/// How deployed services reply.
static OBSERVED: Shape = Shape::new(
    "`x-observed`",
    &[may("responses", Map(&Object(&RESPONSE))), may("schemas", Map(&Object(&OBSERVED_SCHEMA)))],
);

/// `schemas` checks the values, and refuses a closed schema.
static SCHEMA: Shape = Shape::new(
    "a schema",
    &[
        may("type", Checked),
        may("title", Text),
        may("description", Checked),
        may("x-evidence", Checked),
        may("required", Names),
        may("properties", Map(&Object(&PROPERTY))),
        may("additionalProperties", Refused),
    ],
);

static OBSERVED_SCHEMA: Shape = Shape::new(
    "a schema",
    &[
        may("type", Checked),
        may("title", Text),
        may("description", Checked),
        may("x-evidence", Checked),
        may("required", Names),
        may("properties", Map(&Object(&PROPERTY))),
        may("additionalProperties", Flag),
    ],
);

/// `schemas` checks the type, the reference and the example, and refuses an `enum`.
static PROPERTY: Shape = Shape::new(
    "a property",
    &[
        may("type", Checked),
        may("title", Text),
        may("description", Checked),
        may("nullable", Flag),
        may("format", Text),
        may("pattern", Text),
        may("minLength", Count),
        may("maxLength", Count),
        may("minimum", Number),
        may("maximum", Number),
        may("exclusiveMinimum", Flag),
        may("exclusiveMaximum", Flag),
        may("multipleOf", Number),
        may("minItems", Count),
        may("items", Object(&ITEMS)),
        may("allOf", List(&Object(&REFERENCE))),
        may("$ref", Checked),
        may("example", Checked),
        may("enum", Refused),
        may("x-evidence", Checked),
        may("x-sensitive", Checked),
    ],
);

static ITEMS: Shape = Shape::new(
    "the items of a list",
    &[
        may("type", Checked),
        may("description", Text),
        may("items", Refused),
        may("allOf", List(&Object(&REFERENCE))),
        may("$ref", Checked),
        may("enum", Refused),
        may("x-evidence", Refused),
        may("x-sensitive", Refused),
    ],
);

static REFERENCE: Shape = Shape::new("a reference", &REFERENCE_MEMBERS);

const REFERENCE_MEMBERS: [Member; 1] = [must("$ref", Text)];
