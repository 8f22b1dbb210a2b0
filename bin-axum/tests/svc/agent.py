"""Uses `svc mcp` as an agent's client would: lists tools and customers, is refused without a scope. Prints what it saw as JSON.
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


async def seen() -> dict:
    async with connection() as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        tools = (await session.list_tools()).tools
        listed = await session.call_tool("listCustomers", {"limite": 2})
        refused = await session.call_tool("listProducts", {})
        return {
            "tools": [tool.name for tool in tools],
            "listed": json.loads(listed.content[0].text),
            "refused": json.loads(refused.content[0].text),
        }


print(json.dumps(asyncio.run(seen())))
