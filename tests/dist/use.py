"""Uses the installed wheels: validates vectors, type-checked, and sends them to the installed sandbox."""

import json
import subprocess
import sys
import urllib.error
import urllib.request
from decimal import Decimal
from pathlib import Path

from jsonschema import Draft202012Validator

from business_data_connector_openapi import folder, index, schema, vectors
from business_data_connector_openapi.types import PushIncomeRequest

BODY: PushIncomeRequest = {
    "apikey": "demo-apikey",
    "appid": "demo-appid",
    "uid": "demo-business",
    "data": {"id": "INV-1", "amount": Decimal("19.99")},
}
# mypy also fails where there is nothing to ignore.
MISSPELT: PushIncomeRequest = {**BODY, "data": {"amuont": Decimal("19.99")}}  # type: ignore[typeddict-unknown-key]
BINARY: PushIncomeRequest = {**BODY, "data": {"amount": 19.99}}  # type: ignore[typeddict-item]


def sent(url: str, body: object) -> int:
    """The status of the reply."""
    # The example needs no exact amounts; otherwise: simplejson.
    text = json.dumps(body, default=float).encode()
    try:
        request = urllib.request.Request(url, text, {"Content-Type": "application/json"})
        return int(urllib.request.urlopen(request).status)
    except urllib.error.HTTPError as error:
        return error.code


def main() -> None:
    assert Path(str(folder())).is_relative_to(sys.prefix), folder()
    validator = Draft202012Validator(schema("push_income"))
    validator.validate(BODY)
    tested = vectors("push_income")
    for vector in tested:
        assert validator.is_valid(vector["body"]) == vector["valid"], vector["why"]
    path = index()["operations"]["push_income"]["path"]
    command = [str(Path(sys.prefix, "bin", "bdc-sandbox")), "--listen", "127.0.0.1:0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as sandbox:
        try:
            assert sandbox.stdout
            url = sandbox.stdout.readline().split()[2]
            wrong = next(vector["body"] for vector in tested if not vector["valid"])
            statuses = sent(url + path, BODY), sent(url + path, wrong)
        finally:
            sandbox.kill()
    assert statuses == (200, 400), statuses
    print(f"Python: {len(tested)} vectors, and the sandbox answered {statuses}")


main()
