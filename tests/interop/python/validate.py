"""Validates every vector in the folder BDC_OPENAPI against its schema, with each validator."""

import json
import os
import sys
from collections import Counter
from decimal import Decimal
from pathlib import Path

import fastjsonschema
import jsonschema
import jsonschema_rs

OPENAPI = Path(os.environ["BDC_OPENAPI"])


def read(path):
    # A float has a precision of about sixteen digits.
    return json.loads(path.read_text(encoding="utf-8"), parse_float=Decimal)


def with_jsonschema(validator):
    def compiled(schema):
        validator.check_schema(schema)
        return validator(schema).validate

    return compiled


# Functions that convert a schema to a function, which raises if a body is invalid.
VALIDATORS = {
    "jsonschema": with_jsonschema(jsonschema.Draft202012Validator),
    "jsonschema as draft-07": with_jsonschema(jsonschema.Draft7Validator),
    "fastjsonschema": fastjsonschema.compile,
    "jsonschema-rs": lambda schema: jsonschema_rs.Draft202012Validator(schema).validate,
}
REFUSALS = (jsonschema.ValidationError, fastjsonschema.JsonSchemaException, jsonschema_rs.ValidationError)


def refusal(validate, body):
    try:
        validate(body)
    except REFUSALS as error:
        return error.message
    return None


def main():
    index = read(OPENAPI / "vectors" / "index.json")
    wrong = []
    listed = {entry["file"] for entry in index} | {"index.json"}
    for path in (OPENAPI / "vectors").iterdir():
        if path.name not in listed:
            wrong.append(f"vectors/{path.name}: is not in vectors/index.json")

    counts = Counter()
    for entry in index:
        vectors = read(OPENAPI / "vectors" / entry["file"])
        schema = read(OPENAPI / "vectors" / entry["schema"])
        valid = sum(vector["valid"] for vector in vectors)
        if (valid, len(vectors) - valid) != (entry["valid"], entry["invalid"]):
            wrong.append(
                f"vectors/{entry['file']}: has {valid} valid and {len(vectors) - valid} invalid vectors, "
                f"vectors/index.json says {entry['valid']} and {entry['invalid']}"
            )
        for name, compiled in VALIDATORS.items():
            validate = compiled(schema)
            for vector in vectors:
                refused = refusal(validate, vector["body"])
                counts[name] += 1
                if (refused is None) != vector["valid"]:
                    expected = "valid" if vector["valid"] else "invalid"
                    got = "valid" if refused is None else f"invalid ({refused})"
                    wrong.append(f"{name}: vectors/{entry['file']}: {vector['why']}: expected {expected}, got {got}")
    if not counts:
        wrong.append("vectors/index.json: lists no vectors")

    if wrong:
        sys.exit("\n".join(wrong))
    print(", ".join(f"{name} {counts[name]}" for name in VALIDATORS))


main()
