"""Uses the four tools as an agent's client would: finds, describes, rehearses and runs operations. Prints what it saw as JSON.
Over streamable HTTP at the URL that is its first argument, with each key id and secret that follow; without arguments, over the
standard streams of a server that it starts, with each of the keys that AS names."""

import asyncio
import json
import os
import sys
from contextlib import AbstractAsyncContextManager

import httpx2
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client


def connection(key: tuple[str, str] | None) -> AbstractAsyncContextManager:
    if key is None:
        return stdio_client(StdioServerParameters(command=os.environ["SVC"], args=["mcp"], env=dict(os.environ)))
    headers = {"Authorization": f"Bearer {key[1]}", "X-Svc-Key-Id": key[0]}
    return streamable_http_client(sys.argv[1], http_client=httpx2.AsyncClient(headers=headers, timeout=60))


async def seen(key: tuple[str, str] | None, name: str | None = None) -> dict:
    async with connection(key) as (read, write), ClientSession(read, write) as session:

        async def use(tool: str, **arguments) -> dict:
            if name is not None:
                arguments["as"] = name
            result = await session.call_tool(tool, arguments)
            texts = [block.text for block in result.content]
            return {"error": result.is_error, "texts": texts, "read": result.structured_content}

        begun = await session.initialize()
        ana = {"operation": "createCustomer", "arguments": {"nombre": "Ana"}}
        seen = {
            "server": begun.server_info.name,
            "tools": [tool.name for tool in (await session.list_tools()).tools],
            "found": await use("find_operations", text="crear un cliente"),
            "described": await use("describe_operation", operation="createCustomer"),
            "unconfirmed": await use("run_operation", **ana),
            "rehearsed": await use("rehearse_operation", **ana),
        }
        digest = (seen["rehearsed"]["read"] or {}).get("digest")
        seen["done"] = [await use("run_operation", **ana, digest=digest) for _ in range(2)]
        seen["office"] = await use("run_operation", operation="customer.get", arguments={"clave": 1})
        seen["listed"] = await use("run_operation", operation="listCustomers")
        return seen


async def all_seen() -> list[dict]:
    given = sys.argv[2:]
    names = os.environ.get("AS", "")
    if names:
        return [await seen(None, name) for name in names.split(",")]
    keys = list(zip(given[::2], given[1::2])) or [None]
    return [await seen(key) for key in keys]


print(json.dumps(asyncio.run(all_seen())))
