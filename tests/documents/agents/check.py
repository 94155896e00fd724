"""Calls every operation as an agent does, and checks what a model is told about each."""

import asyncio
import json
import os
from pathlib import Path

import httpx2
from fastmcp import Client

from tools import server

OPENAPI = Path(os.environ["BDC_OPENAPI"])
SANDBOX = os.environ["BDC_SANDBOX"]
CREDENTIALS = {"apikey": "demo-apikey", "appid": "demo-appid"}


def read(file: str) -> dict:
    return json.loads((OPENAPI / file).read_text("utf-8"))


async def check(file: str) -> str:
    document = read(file)
    posts = {item["post"]["operationId"]: item["post"] for item in document["paths"].values()}
    order = [item["name"] for item in read("postman.json")["item"] if item["name"] in posts]
    async with Client(server(document, SANDBOX, "demo-header-key", CREDENTIALS)) as client:
        tools = {tool.name: tool for tool in await client.list_tools()}
        assert tools.keys() == posts.keys(), sorted(tools.keys() ^ posts.keys())
        for name, tool in tools.items():
            assert tool.description.startswith(posts[name]["description"].strip()), f"{name}: {tool.description}"
            assert not CREDENTIALS.keys() & tool.input_schema["properties"].keys(), f"{name} shows a credential"
        begin = {tool.description.split(". ")[0] for tool in tools.values()}
        assert len(begin) == len(tools), "two descriptions begin with the same sentence"
        hints = {name: (tool.annotations.read_only_hint, tool.annotations.destructive_hint) for name, tool in tools.items()}
        told = {name: (post["x-effect"] == "read", post.get("x-destructive", False)) for name, post in posts.items()}
        assert hints == told, hints
        replies = {}
        for name in order:
            body = posts[name]["requestBody"]["content"]["application/json"]["examples"]["full"]["value"]
            arguments = {key: value for key, value in body.items() if key not in CREDENTIALS}
            if upload := posts[name].get("x-upload"):
                address = replies[upload["address-from"]][upload["address"]]
                arguments["data"][upload["address"]] = address
                httpx2.put(address, json=[]).raise_for_status()
            result = await client.call_tool(name, arguments)
            replies[name] = result.structured_content
            assert replies[name]["error"] is not True, f"{name}: {replies[name]}"
    reading = sum(reads for reads, _ in hints.values())
    destroying = sum(destructive for _, destructive in hints.values())
    return f"{len(replies)} tools called, {reading} read-only and {destroying} destructive"


for file in ["connector.json", "connector.deployed.json"]:
    summary = asyncio.run(check(file))
print(summary)
