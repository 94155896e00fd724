"""Checks the models that datamodel-code-generator generated, and converts every valid vector to them and back."""

import inspect
import os
import sys
from decimal import Decimal
from pathlib import Path
from typing import get_args

import simplejson
from pydantic import BaseModel, ValidationError

import connector_types

OPENAPI = Path(os.environ["BDC_OPENAPI"])


def read(*parts):
    return decoded(OPENAPI.joinpath(*parts).read_text(encoding="utf-8"))


# Only this way, amounts keep their digits: pydantic's `model_validate_json` converts them to a float, and its
# `model_dump_json` writes a Decimal as a string, which the service does not accept.
def decoded(text):
    return simplejson.loads(text, use_decimal=True)


def encoded(value):
    return simplejson.dumps(value, use_decimal=True, sort_keys=True)


def compared(name, model, schema):
    """The differences between a model and the schema that it was generated from."""
    fields = {field.alias or name: field for name, field in model.model_fields.items()}
    if fields.keys() != schema["properties"].keys():
        yield f"{name}: has the fields {sorted(fields)}, the schema has {sorted(schema['properties'])}"
        return
    for wire, field in fields.items():
        if field.is_required() != (wire in schema.get("required", [])):
            yield f"{name}.{wire}: is {'required' if field.is_required() else 'optional'}, unlike in the schema"
        is_number = schema["properties"][wire].get("type") == "number"
        if is_number and Decimal not in (field.annotation, *get_args(field.annotation)):
            yield f"{name}.{wire}: is {field.annotation} instead of Decimal"


def main():
    index = read("schemas", "index.json")
    # The callbacks have a schema and vectors, like an operation.
    entries = index["operations"] | {"callback": index["callbacks"]}
    records = index["records"] | index["callbacks"]["records"]
    files = [index["types"], *records.values(), *(entry["schema"] for entry in entries.values())]
    schemas = {schema["title"]: schema for schema in (read("schemas", file) for file in files)}
    models = {
        name: item
        for name, item in inspect.getmembers(connector_types, inspect.isclass)
        if item.__module__ == connector_types.__name__
    }

    wrong = [f"{name}: the model is missing" for name in schemas.keys() - models.keys()]
    wrong += [f"{name}: no schema has this title" for name in models.keys() - schemas.keys()]
    wrong += [f"{name}: is not a pydantic model" for name, model in models.items() if not issubclass(model, BaseModel)]
    if not wrong:
        for name, schema in schemas.items():
            wrong += compared(name, models[name], schema)

    passed = rejected = invalid = 0
    for operation, entry in entries.items():
        model = models.get(read("schemas", entry["schema"])["title"])
        for vector in read("schemas", entry["vectors"]) if model else []:
            invalid += not vector["valid"]
            try:
                back = encoded(model.model_validate(vector["body"]).model_dump(by_alias=True))
            except ValidationError as error:
                rejected += not vector["valid"]
                if vector["valid"]:
                    wrong.append(f"{model.__name__}: {operation}: {vector['why']}: is rejected: {error}")
                continue
            passed += vector["valid"]
            if vector["valid"] and back != encoded(vector["body"]):
                named = f"{model.__name__}: {operation}: {vector['why']}"
                wrong.append(f"{named}: sent {encoded(vector['body'])}, came back as {back}")
    if not passed:
        wrong.append("no vector was converted")

    if wrong:
        sys.exit("\n".join(wrong))
    print(f"{len(models)} models, {passed} valid vectors there and back, {rejected} of {invalid} invalid ones rejected")


main()
