"""Tests a generated client: every valid vector that it sends must arrive unchanged."""

import json
import os
import sys
import urllib.request
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

OPENAPI = Path(os.environ["BDC_OPENAPI"])
SANDBOX = os.environ["BDC_SANDBOX"].rstrip("/")
HEADER_KEY = "demo-header-key"
# The credentials and the business of the sandbox, which replace those of the vectors.
OWN = {"apikey": "demo-apikey", "appid": "demo-appid", "uid": "demo-business"}

OPERATIONS = json.loads((OPENAPI / "schemas" / "index.json").read_text("utf-8"))["operations"]

# Calls the operation with a body, and returns the status and the text of the reply.
Call = Callable[[str, dict], tuple[int, str]]


def request_type(operation: str) -> str:
    return OPERATIONS[operation]["schema"].removesuffix(".schema.json")


def fetch(method: str, address: str, content: str | None = None) -> str:
    data = None if content is None else content.encode()
    headers = {"Content-Type": "application/json"}
    with urllib.request.urlopen(urllib.request.Request(address, data, headers, method=method)) as reply:
        return reply.read().decode()


def inspect(path: str, **numbers) -> list:
    """Queries the inspection API of the sandbox; `numbers` determines how numbers are parsed."""
    return json.loads(fetch("GET", f"{SANDBOX}/_sandbox/{path}"), **numbers)


def last_refusal() -> str:
    reasons = inspect("requests")[-1]["reasons"]
    return "; ".join(f"{r['pointer']} {r['rule']}: expected {r['expected']}, got {r['got']}" for r in reasons)


def vectors(operation: str, **numbers) -> list[dict]:
    """The valid vectors of an operation, with the credentials and the business of the sandbox."""
    file = OPENAPI / "schemas" / OPERATIONS[operation]["vectors"]
    valid = [vector for vector in json.loads(file.read_text("utf-8"), **numbers) if vector["valid"]]
    for vector in valid:
        vector["body"] |= {name: own for name, own in OWN.items() if name in vector["body"]}
    return valid


def upload(call: Call, entries: list) -> str:
    """Uploads a settlement file to the URL that the service provides, the only one that it accepts."""
    status, reply = call("pull_storage_upload_url", OWN)
    if status != 200:
        sys.exit(f"pull_storage_upload_url: replied {status} {reply} {last_refusal()}")
    address = json.loads(reply)["url"]
    fetch("PUT", address, json.dumps(entries))
    return address


def same(arrived, meant) -> bool:
    """Whether two values are equal as far as the sandbox shows them: it hides secrets and unknown names."""
    if isinstance(meant, dict) and isinstance(arrived, dict):
        return arrived.keys() == meant.keys() and all(same(arrived[name], meant[name]) for name in meant)
    if isinstance(meant, list) and isinstance(arrived, list):
        return len(arrived) == len(meant) and all(map(same, arrived, meant))
    if isinstance(meant, str) and arrived == meant.split("?")[0] + "?[hidden]":
        return True
    return arrived == "[hidden]" or (type(arrived) is type(meant) and arrived == meant)


def held(records: list, data) -> bool:
    """Whether the records match `data`: itself, its items if it is a list, or the items of its lists."""
    carried = [[data]]
    if isinstance(data, list):
        carried.append(data)
    else:
        carried.append([item for _, items in sorted(data.items()) if isinstance(items, list) for item in items])
    return [record["data"] for record in records] in carried


def as_doubles(value):
    return json.loads(json.dumps(value, default=float), parse_int=float)


def call_all(call: Call) -> str:
    """Sends every valid vector of every operation, each to an empty sandbox, and returns the summary."""
    settled = next(vector["body"]["data"] for vector in vectors("push_settlement") if vector["why"] == "every field")
    exact = rounded = 0
    problems = []
    for name, operation in OPERATIONS.items():
        with_all_digits = vectors(name, parse_float=Decimal)
        for vector, digits in zip(vectors(name), with_all_digits, strict=True):
            fetch("POST", f"{SANDBOX}/_sandbox/reset", "")
            body, data = vector["body"], digits["body"].get("data")
            if name == "push_settlement_file":
                body["data"]["url"] = upload(call, settled)
                data = json.loads(json.dumps(settled), parse_float=Decimal)
            status, reply = call(name, body)
            logged = inspect("requests", parse_int=float)[-1]
            records = inspect(f"businesses/{OWN['uid']}/records", parse_float=Decimal)
            recorded = operation["asynchronous"] and operation["effect"] == "write"
            if status != 200:
                problem = f"replied {status} {reply} {last_refusal()}"
            elif logged["operation"] != name or not same(logged["body"], as_doubles(body)):
                problem = f"arrived as {logged['operation']} {logged['body']}"
            elif recorded and not held(as_doubles(records), as_doubles(data)):
                problem = f"recorded as {records}"
            else:
                problem = None
            if problem:
                problems.append(f"{operation['vectors']}: {vector['why']}: {body}: {problem}")
            elif recorded and not held(records, data):
                rounded += 1
            else:
                exact += 1
    if problems:
        hint = "check the generated request types and the options in interop.toml."
        sys.exit("\n".join([*problems, f"{len(problems)} bodies did not arrive as sent: {hint}"]))
    return f"{len(OPERATIONS)} of {len(OPERATIONS)} operations, {exact} bodies as sent, {rounded} rounded to a double"
