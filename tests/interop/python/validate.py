"""Validates every vector in the folder BDC_OPENAPI against its schema, with each validator."""

import json
import os
import re
import sys
from collections import Counter
from decimal import Decimal
from pathlib import Path

import fastjsonschema
import jschon
import jsonschema
import jsonschema_rs
import openapi_schema_validator
import pydantic
from jsonspec.validators import ValidationError as JsonSpecError
from jsonspec.validators import load as json_spec

import document_models

OPENAPI = Path(os.environ["BDC_OPENAPI"])


class Invalid(Exception):
    """For validators that return a verdict."""


def read(path):
    # A float has a precision of about sixteen digits.
    return json.loads(path.read_text(encoding="utf-8"), parse_float=Decimal)


def floats(value):
    return json.loads(json.dumps(value, default=float))


def without_dialect(schema):
    return {keyword: value for keyword, value in schema.items() if keyword != "$schema"}


def with_jsonschema(validator):
    def compiled(schema):
        validator.check_schema(schema)
        return validator(schema).validate

    return compiled


def with_jschon(convert):
    jschon.create_catalog("2020-12")

    def compiled(schema):
        schema = jschon.JSONSchema(convert(schema))

        def validate(body):
            result = schema.evaluate(jschon.JSON(convert(body)))
            if not result.valid:
                raise Invalid(json.dumps(result.output("basic")["errors"]))

        return validate

    return compiled


# Functions that convert a schema to a function, which raises if a body is invalid.
VALIDATORS = {
    "jsonschema": with_jsonschema(jsonschema.Draft202012Validator),
    "jsonschema as draft-07": with_jsonschema(jsonschema.Draft7Validator),
    "fastjsonschema": fastjsonschema.compile,
    "jsonschema-rs": lambda schema: jsonschema_rs.Draft202012Validator(schema).validate,
    "jschon": with_jschon(floats),
    "jschon with Decimal": with_jschon(lambda value: value),
    "json-spec": lambda schema: json_spec(without_dialect(schema)).validate,
    "json-spec with $schema": lambda schema: json_spec(schema).validate,
    "OAS31Validator": lambda schema: openapi_schema_validator.OAS31Validator(schema).validate,
    "OAS30Validator": lambda schema: openapi_schema_validator.OAS30Validator(schema).validate,
    "models of connector.yaml": lambda schema: getattr(document_models, schema["title"]).model_validate,
}
# Those with verdicts that differ from the vectors, as the page of the language says, and what such a verdict is.
DIFFERENT = {
    "jschon with Decimal": r"^error \(TypeError: value=Decimal\(.*\) is not JSON-compatible\)$",
    "json-spec with $schema": r"^error \(CompilationError: .*2020-12/schema' not registered",
    "OAS30Validator": r"^error \(TypeError: unhashable type: 'list'\)$|^invalid \(None for not nullable\)$",
    "models of connector.yaml": r"^valid$",
}
REFUSALS = (
    jsonschema.ValidationError,
    fastjsonschema.JsonSchemaException,
    jsonschema_rs.ValidationError,
    JsonSpecError,
    pydantic.ValidationError,
    Invalid,
)


def unexpected(error):
    # Some contain the whole schema.
    return f"error ({type(error).__name__}: {str(error)[:200]})"


def verdict(validate, body):
    try:
        validate(body)
    except REFUSALS as refusal:
        return f"invalid ({getattr(refusal, 'message', refusal)})"
    except Exception as error:
        return unexpected(error)
    return "valid"


def verdicts(compiled, schema, bodies):
    try:
        validate = compiled(schema)
    except Exception as error:
        return [unexpected(error)] * len(bodies)
    return [verdict(validate, body) for body in bodies]


def main():
    index = read(OPENAPI / "vectors" / "index.json")
    wrong = []
    listed = {entry["file"] for entry in index} | {"index.json"}
    for path in (OPENAPI / "vectors").iterdir():
        if path.name not in listed:
            wrong.append(f"vectors/{path.name}: is not in vectors/index.json")

    counts = Counter()
    differences = Counter()
    for entry in index:
        vectors = read(OPENAPI / "vectors" / entry["file"])
        bodies = [vector["body"] for vector in vectors]
        valid = sum(vector["valid"] for vector in vectors)
        if (valid, len(vectors) - valid) != (entry["valid"], entry["invalid"]):
            wrong.append(
                f"vectors/{entry['file']}: has {valid} valid and {len(vectors) - valid} invalid vectors, "
                f"vectors/index.json says {entry['valid']} and {entry['invalid']}"
            )
        for name, compiled in VALIDATORS.items():
            # Read each time, since fastjsonschema changes it.
            schema = read(OPENAPI / "vectors" / entry["schema"])
            for vector, got in zip(vectors, verdicts(compiled, schema, bodies), strict=True):
                counts[name] += 1
                expected = "valid" if vector["valid"] else "invalid"
                if got.split(" ")[0] == expected:
                    continue
                if name in DIFFERENT and re.search(DIFFERENT[name], got):
                    differences[name] += 1
                else:
                    wrong.append(f"{name}: vectors/{entry['file']}: {vector['why']}: expected {expected}, got {got}")
    if not counts:
        wrong.append("vectors/index.json: lists no vectors")
    wrong.extend(f"{name}: no verdict differs any more" for name in DIFFERENT if not differences[name])

    if wrong:
        sys.exit("\n".join(wrong))
    agreed = {name: f"{counts[name] - differences[name]} of " for name in DIFFERENT}
    print(", ".join(f"{name} {agreed.get(name, '')}{counts[name]}" for name in VALIDATORS))


main()
