"""A client whose types are made of the interface's description, over the thin layer of svc.py:

    svc openapi > openapi.json
    pip install openapi-python-client
    openapi-python-client generate --path openapi.json --config generator.yml --meta none --output-path svc_client

Run against the demo: SVC_BASE_URL, SVC_KEY_ID and SVC_API_KEY are what svc demo prints."""

from http.server import BaseHTTPRequestHandler, HTTPServer
from queue import Queue
from threading import Thread
from uuid import uuid4

from svc import SvcError, connect, do, notice, records
from svc_client.api.clientes import create_customer, edit_customer, list_customers
from svc_client.api.webhooks import create_webhook, delete_webhook
from svc_client.models import CreateCustomer, CreateWebhook, EditCustomer

api = connect()


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


claves = [customer.clave for customer in records(api, list_customers, limite=30)]
assert len(claves) > 30 and len(set(claves)) == len(claves), "a record came twice"
print(f"{len(claves)} customers")

# A webhook that leads to this process; the demo allows that.
server = HTTPServer(("127.0.0.1", 0), Receiver)
Thread(target=server.serve_forever, daemon=True).start()
url = f"http://localhost:{server.server_port}/"
body = CreateWebhook.from_dict({"url": url, "eventos": ["cliente.creado"]})
webhook = do(api, create_webhook, body=body)

# Sent twice, created once: both answers are the same.
body, key = CreateCustomer(nombre="Cliente de Python", cp="06700"), str(uuid4())
first = create_customer.sync_detailed(client=api, body=body, idempotency_key=key)
second = create_customer.sync_detailed(client=api, body=body, idempotency_key=key)
created = first.parsed
assert (first.status_code, second.status_code) == (201, 200)
assert second.headers["Idempotent-Replayed"] == "true"
assert second.parsed == created
print(f"customer {created.cliente}, created once")

# Its notice, accepted only if X-Svc-Firma verifies over the raw body.
signature, raw = Receiver.received.get(timeout=30)
received = notice(signature, raw, webhook.secreto)
assert received is not None and received["datos"]["cliente"] == created.cliente
assert notice(signature, raw + b" ", webhook.secreto) is None
server.shutdown()
do(api, delete_webhook, webhook.clave)
print(f"notice {received['id']} verified")

# Errors have their code.
try:
    do(api, edit_customer, 0, body=EditCustomer(nombre="Nadie"))
    raise AssertionError("nobody has the clave 0")
except SvcError as error:
    assert error.codigo == "no_encontrado"
