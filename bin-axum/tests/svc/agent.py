"""Uses `svc mcp` as an agent's client would: lists tools and customers, is refused without a scope, repeats writes, misspells an
argument. Prints what it saw as JSON.
Over streamable HTTP at the URL that is its argument; without one, over the standard streams of a server that it starts."""

import asyncio
import json
import os
import sys
from contextlib import AbstractAsyncContextManager

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client


def connection() -> AbstractAsyncContextManager:
    if len(sys.argv) > 1:
        return streamable_http_client(sys.argv[1])
    return stdio_client(StdioServerParameters(command=os.environ["SVC"], args=["mcp"], env=dict(os.environ)))


def told(result) -> list[str]:
    return [block.text for block in result.content]


async def seen() -> dict:
    async with connection() as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        tools = (await session.list_tools()).tools
        listed = await session.call_tool("listCustomers", {"limite": 2})
        refused = await session.call_tool("listProducts", {})
        unknown = await session.call_tool("createCustomer", {"nombre": "Ana", "telefonos": "55"})
        made = [
            told(await session.call_tool("createCustomer", arguments))
            for arguments in (
                {"nombre": "Ana", "cp": "06700"},
                {"cp": "06700", "nombre": "Ana"},
                {"nombre": "Ana", "cp": "06700", "idempotency_key": "otra-vez"},
                {"nombre": "Ana", "cp": "06700", "idempotency_key": "otra-vez"},
            )
        ]
        for correo in ("uno@ejemplo.mx", "dos@ejemplo.mx", "uno@ejemplo.mx"):
            await session.call_tool("editCustomer", {"clave": 1, "correo": correo})
        customers = await session.call_tool("listCustomers", {})
    async with connection() as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        again = told(await session.call_tool("createCustomer", {"nombre": "Ana", "cp": "06700"}))
    return {
        "tools": [tool.name for tool in tools],
        "hints": {tool.name: tool.annotations.model_dump(by_alias=True) for tool in tools},
        "listed": json.loads(told(listed)[0]),
        "refused": json.loads(told(refused)[0]),
        "unknown": told(unknown)[0],
        "made": [{"answer": json.loads(first), "notes": notes} for first, *notes in [*made, again]],
        "customers": json.loads(told(customers)[0]),
    }


print(json.dumps(asyncio.run(seen())))
