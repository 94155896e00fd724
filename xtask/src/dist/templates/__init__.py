"""The interface of the Business Data Connector Service: its document, JSON Schemas, test vectors and types.

An operation is named as in the document, such as `push_income`; `callback` stands for the body of a callback.
"""

import json
from decimal import Decimal
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, TypedDict

from . import types as types


class Vector(TypedDict):
    """A body with the expected verdict. The numbers in it are exact: a `Decimal` or an `int`."""

    operation: str | None
    why: str
    valid: bool
    body: Any


def folder() -> Traversable:
    """The folder with the files, which README.md in it describes."""
    return files(__name__)


def index() -> dict[str, Any]:
    """The index: for each operation its path, header, schema, and vectors; likewise for records and callbacks."""
    return json.loads(_read("index.json"))  # type: ignore[no-any-return]


def schema(operation: str) -> dict[str, Any]:
    """The JSON Schema of the body of an operation."""
    return json.loads(_read(_entry(operation)["schema"]))  # type: ignore[no-any-return]


def vectors(operation: str) -> list[Vector]:
    """Valid and invalid bodies of an operation."""
    return json.loads(_read(_entry(operation)["vectors"]), parse_float=Decimal)  # type: ignore[no-any-return]


def _entry(operation: str) -> dict[str, Any]:
    known = index()
    entries = known["operations"] | {"callback": known["callbacks"]}
    if operation not in entries:
        raise ValueError(f"there is no operation {operation!r}; there are {', '.join(entries)}")
    return entries[operation]  # type: ignore[no-any-return]


def _read(path: str) -> str:
    """Reads a file, by its path relative to the folder of the schemas, as the index names it."""
    parts: list[str] = ["schemas"]
    for part in path.split("/"):
        parts = parts[:-1] if part == ".." else [*parts, part]
    return folder().joinpath(*parts).read_text(encoding="utf-8")
