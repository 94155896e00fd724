"""Compares what an overlay tool made with connector.deployed.json, every digit of a number included."""

import os
import sys
from decimal import Decimal
from pathlib import Path

import yaml


class Exact(yaml.SafeLoader):
    """Reads numbers as decimals. JSON is YAML, too."""


Exact.add_constructor("tag:yaml.org,2002:float", lambda loader, node: Decimal(loader.construct_scalar(node)))


def read(file: Path) -> object:
    return yaml.load(file.read_text("utf-8"), Exact)


def difference(made: object, expected: object, path: str = "") -> str | None:
    """Where the two differ first."""
    if isinstance(made, dict) and isinstance(expected, dict) and made.keys() == expected.keys():
        parts = ((made[key], expected[key], f"{path}/{key}") for key in made)
    elif isinstance(made, list) and isinstance(expected, list) and len(made) == len(expected):
        parts = ((one, other, f"{path}/{at}") for at, (one, other) in enumerate(zip(made, expected)))
    else:
        # JavaScript writes 99.0 as 99; `True` equals 1.
        same = isinstance(made, bool) == isinstance(expected, bool) and made == expected
        return None if same else path
    return next((found for part in parts if (found := difference(*part)) is not None), None)


def main() -> None:
    expected = read(Path(os.environ["BDC_OPENAPI"]) / "connector.deployed.json")
    found = difference(read(Path(sys.argv[1])), expected)
    if found is not None:
        sys.exit(f"{sys.argv[1]} differs from connector.deployed.json at {found or 'the top'}")
    print("the result is connector.deployed.json")


main()
