"""A client whose types are made of the interface's description:

    svc openapi > openapi.json
    pip install openapi-python-client
    openapi-python-client generate --path openapi.json --config generator.yml --meta none --output-path svc_client

Run against the demo: SVC_BASE_URL, SVC_KEY_ID and SVC_API_KEY are what svc demo prints."""

import json
import os
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import TypeVar
from uuid import uuid4

from svc_client import AuthenticatedClient
from svc_client.api.clientes import create_customer, edit_customer, list_customers
from svc_client.api.webhooks import create_webhook, delete_webhook
from svc_client.models import CreateCustomer, CreateWebhook, Customer, EditCustomer, Error
from svc_client.types import UNSET, Response

sys.path.append(str(Path(__file__).parent.parent / "webhooks"))
from verify import verify  # noqa: E402

api = AuthenticatedClient(
    base_url=os.environ["SVC_BASE_URL"],
    token=os.environ["SVC_API_KEY"],
    headers={"X-Svc-Key-Id": os.environ["SVC_KEY_ID"]},
    raise_on_unexpected_status=True,
)

T = TypeVar("T")


def given(answer: Response[T | Error]) -> T:
    """What an answer holds; an error is raised."""
    if answer.parsed is None or isinstance(answer.parsed, Error):
        raise RuntimeError(answer.content.decode())
    return answer.parsed


def single() -> str:
    """A new Idempotency-Key: kept until the answer is there, and sent again with each repetition."""
    return str(uuid4())


def customers() -> Iterator[Customer]:
    """Every customer, page by page."""
    cursor = UNSET
    while True:
        page = given(list_customers.sync_detailed(client=api, cursor=cursor, limite=30))
        yield from page.datos
        if page.siguiente is None:
            return
        cursor = page.siguiente


class Receiver(BaseHTTPRequestHandler):
    """Receives notices: passes on signature and raw body."""

    received: Queue[tuple[str, bytes]] = Queue()

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.received.put((self.headers["X-Svc-Firma"], body))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Says nothing."""


claves = [customer.clave for customer in customers()]
assert len(claves) > 30 and len(set(claves)) == len(claves), "a record came twice"
print(f"{len(claves)} customers")

# A webhook that leads to this process; the demo allows that.
server = HTTPServer(("127.0.0.1", 0), Receiver)
Thread(target=server.serve_forever, daemon=True).start()
url = f"http://localhost:{server.server_port}/"
body = CreateWebhook.from_dict({"url": url, "eventos": ["cliente.creado"]})
webhook = given(create_webhook.sync_detailed(client=api, body=body, idempotency_key=single()))

# Sent twice, created once: both answers are the same.
body, key = CreateCustomer(nombre="Cliente de Python", cp="06700"), single()
first = create_customer.sync_detailed(client=api, body=body, idempotency_key=key)
second = create_customer.sync_detailed(client=api, body=body, idempotency_key=key)
created = given(first)
assert (first.status_code, second.status_code) == (201, 200)
assert second.headers["Idempotent-Replayed"] == "true"
assert given(second) == created
print(f"customer {created.cliente}, created once")

# Its notice, accepted only if X-Svc-Firma verifies over the raw body.
signature, raw = Receiver.received.get(timeout=30)
assert verify(signature, raw, webhook.secreto)
assert not verify(signature, raw + b" ", webhook.secreto)
notice = json.loads(raw)
assert notice["datos"]["cliente"] == created.cliente
server.shutdown()
given(delete_webhook.sync_detailed(client=api, clave=webhook.clave, idempotency_key=single()))
print(f"notice {notice['id']} verified")

# Errors are typed too.
refused = edit_customer.sync(client=api, clave=0, body=EditCustomer(nombre="Nadie"), idempotency_key=single())
assert isinstance(refused, Error) and refused.error.codigo == "no_encontrado"
