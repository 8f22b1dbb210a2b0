"""Uses `svc mcp` as an agent's client would: lists tools and customers, is refused without a scope. Prints what it saw as JSON."""

import asyncio
import json
import os

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


async def seen() -> dict:
    server = StdioServerParameters(command=os.environ["SVC"], args=["mcp"], env=dict(os.environ))
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
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
