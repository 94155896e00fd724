import httpx2
from fastmcp import FastMCP
from fastmcp.server.transforms import ToolTransform
from fastmcp.tools.tool_transform import ArgTransformConfig, ToolTransformConfig
from mcp.types import ToolAnnotations


def server(document: dict, base_url: str, header_key: str, credentials: dict[str, str]) -> FastMCP:
    """An MCP server with a tool for each operation. The model does not see the credentials."""
    hidden = {}

    def annotate(route, tool) -> None:
        reads = route.extensions["x-effect"] == "read"
        destructive = route.extensions.get("x-destructive", False)
        tool.annotations = ToolAnnotations(
            title=route.summary, read_only_hint=reads, destructive_hint=destructive, idempotent_hint=reads
        )
        mine = credentials.keys() & tool.parameters["properties"].keys()
        arguments = {name: ArgTransformConfig(hide=True, default=credentials[name]) for name in mine}
        hidden[tool.name] = ToolTransformConfig(arguments=arguments)

    client = httpx2.AsyncClient(base_url=base_url, headers={"X-API-Key": header_key})
    tools = FastMCP.from_openapi(document, client=client, mcp_component_fn=annotate)
    tools.add_transform(ToolTransform(hidden))
    return tools
