"""Tests of svc.py against a server that fails as told, and against a demo."""

import hashlib
import hmac
import json
import socket
import time
import unittest
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from uuid import uuid4

import httpx
from svc import SvcError, connect, do, notice, records
from svc_client import AuthenticatedClient
from svc_client.api.clientes import create_customer, list_customers
from svc_client.api.eventos import list_listed_events
from svc_client.api.facturas import list_invoices, read_invoice_pdf
from svc_client.api.productos import list_products
from svc_client.models import CreateCustomer
from svc_client.models.list_customers_x_svc_simular import ListCustomersXSvcSimular

ANA = CreateCustomer(nombre="Ana")
SOON = {"Retry-After": "0"}
# An answer: status, code of error and headers, or the whole body if that is bytes; None breaks the connection.
Step = tuple[int, str | bytes, dict[str, str]] | None


def against(steps: list[Step], work: Callable[[AuthenticatedClient], Any], **more: Any) -> list[tuple[str, Any, str]]:
    """Runs `work` with a client of a server that answers by these steps; gives the requests that it saw."""
    seen: list[tuple[str, Any, str]] = []

    class Stub(BaseHTTPRequestHandler):
        def answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
            seen.append((self.command, self.headers.get("Idempotency-Key"), body))
            step = steps[min(len(seen), len(steps)) - 1]
            if step is None:
                self.close_connection = True
                return
            status, codigo, headers = step
            error = {"ok": False, "error": {"codigo": codigo, "mensaje": "m", "peticion": "p"}}
            created = {"ok": True, "cliente": 7, "folio": "7", "rfc": None}
            body = codigo if isinstance(codigo, bytes) else json.dumps(created if status < 300 else error).encode()
            self.send_response(status)
            headers = {"Content-Type": "application/json", "Content-Length": str(len(body)), **headers}
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = answer

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Stub)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        work(connect(f"http://127.0.0.1:{server.server_port}", "1_a", "svc_b", **more))
    finally:
        server.shutdown()
        server.server_close()
    return seen


class Layer(unittest.TestCase):
    def test_a_write_is_sent_again_with_its_key_and_body_until_it_is_answered(self) -> None:
        steps: list[Step] = [(503, "ocupado", SOON), None, (500, "error_interno", SOON), (409, "idempotencia_en_curso", SOON), (201, "", {})]

        def work(api: AuthenticatedClient) -> None:
            self.assertEqual(do(api, create_customer, body=ANA).cliente, 7)
            do(api, create_customer, body=ANA)

        seen = against(steps, work)
        self.assertEqual(len(seen), 6)
        self.assertEqual(len({key for _, key, _ in seen[:5]}), 1, "one key for all attempts")
        self.assertNotEqual(seen[5][1], seen[0][1], "another operation has another key")
        self.assertTrue(all(json.loads(body) == {"nombre": "Ana"} for *_, body in seen))

    def test_a_key_that_is_given_stays_and_a_read_has_none(self) -> None:
        def work(api: AuthenticatedClient) -> None:
            do(api, create_customer, body=ANA, idempotency_key="uno")
            api.get_httpx_client().get("/clientes")

        seen = against([(429, "limite_excedido", SOON), (201, "", {})], work)
        self.assertEqual([key for _, key, _ in seen], ["uno", "uno", None])

    def test_what_another_attempt_would_not_change_is_given_at_once(self) -> None:
        for status, codigo in [(400, "dato_invalido"), (409, "rfc_duplicado"), (422, "rfc_invalido")]:

            def work(api: AuthenticatedClient) -> None:
                with self.assertRaises(SvcError) as caught:
                    do(api, create_customer, body=ANA)
                error = caught.exception
                self.assertEqual((error.status, error.codigo, error.peticion), (status, codigo, "p"))

            self.assertEqual(len(against([(status, codigo, {})], work)), 1)

    def test_retry_after_is_waited_for_unless_it_takes_too_long(self) -> None:
        began = time.monotonic()
        steps: list[Step] = [(503, "ocupado", {"Retry-After": "1"}), (201, "", {})]
        against(steps, lambda api: do(api, create_customer, body=ANA))
        self.assertGreaterEqual(time.monotonic() - began, 1)

        def work(api: AuthenticatedClient) -> None:
            with self.assertRaises(SvcError) as caught:
                do(api, create_customer, body=ANA)
            self.assertEqual(caught.exception.status, 429)

        self.assertEqual(len(against([(429, "cupo_agotado", {"Retry-After": "86400"})], work)), 1)

    def test_attempts_end(self) -> None:
        def busy(api: AuthenticatedClient) -> None:
            with self.assertRaises(SvcError):
                do(api, create_customer, body=ANA)

        self.assertEqual(len(against([(503, "ocupado", SOON)], busy)), 5)

        def broken(api: AuthenticatedClient) -> None:
            with self.assertRaises(httpx.TransportError):
                do(api, create_customer, body=ANA)

        self.assertEqual(len(against([None], broken, attempts=2, patience=0.01)), 2)

    def test_an_answer_that_breaks_off_is_none(self) -> None:
        def work(api: AuthenticatedClient) -> None:
            self.assertEqual(do(api, create_customer, body=ANA).cliente, 7)

        seen = against([(201, "", {"Content-Length": "500", "Connection": "close"}), (201, "", {})], work, patience=0.01)
        self.assertEqual((len(seen), len({key for _, key, _ in seen})), (2, 1))

    def test_a_server_that_says_nothing_is_given_up(self) -> None:
        def work(api: AuthenticatedClient) -> None:
            with self.assertRaises(httpx.TransportError):
                do(api, create_customer, body=ANA)

        with socket.create_server(("127.0.0.1", 0)) as silent:
            work(connect(f"http://127.0.0.1:{silent.getsockname()[1]}", "1_a", "svc_b", attempts=2, patience=0, timeout=0.2))

    def test_what_a_gateway_answers_is_an_error_too(self) -> None:
        for status, body in [(503, b"<html>"), (403, b'{"message":"Forbidden"}'), (520, b"")]:

            def work(api: AuthenticatedClient) -> None:
                with self.assertRaises(SvcError) as caught:
                    do(api, create_customer, body=ANA)
                self.assertEqual((caught.exception.status, caught.exception.codigo), (status, "sin_codigo"))

            against([(status, body, SOON)], work)

    def test_a_list_that_grows_ends(self) -> None:
        page = b'{"ok":true,"datos":[],"siguiente":"c","hay_mas":false,"limite":50}'
        self.assertEqual(len(against([(200, page, {})], lambda api: list(records(api, list_listed_events)))), 1)

    def test_a_notice_is_taken_only_if_it_is_genuine(self) -> None:
        body = b'{"id":"evt_1","tipo":"cliente.creado"}'

        def signed(t: int, secret: bytes = b"whsec_0123") -> str:
            return f"t={t},v1=" + hmac.new(secret, f"{t}.".encode() + body, hashlib.sha256).hexdigest()

        now = int(time.time())
        genuine = notice(signed(now), body, "whsec_0123")
        assert genuine is not None
        self.assertEqual(genuine["id"], "evt_1")
        rotated = f"{signed(now, b'whsec_old')},v1={signed(now).split('v1=')[1]}"
        self.assertIsNotNone(notice(rotated, body, "whsec_0123"))
        for wrong in ["t=²,v1=00", f"t={'1' * 5_000},v1=00", f"t={now},v1=é"]:
            self.assertIsNone(notice(wrong, body, "whsec_0123"), wrong)
        for wrong in [None, "", "t=x,v1=00", signed(now, b"whsec_other"), signed(now - 302), signed(now + 302)]:
            self.assertIsNone(notice(wrong, body, "whsec_0123"), wrong)
        self.assertIsNone(notice(signed(now), b"{}", "whsec_0123"))

    def test_the_demos_lists_errors_and_limits(self) -> None:
        api = connect(attempts=2, patience=2)
        claves = [customer.clave for customer in records(api, list_customers, limite=7)]
        self.assertGreater(len(claves), 30)
        self.assertEqual(len(set(claves)), len(claves), "a record came twice")
        self.assertIsNotNone(next(records(api, list_products)))
        stamped = [invoice for invoice in records(api, list_invoices) if invoice.fecha_timbrado]
        newest = max(stamped, key=lambda invoice: invoice.fecha)
        self.assertEqual(do(api, read_invoice_pdf, newest.clave)[:5], b"%PDF-")
        with self.assertRaises(SvcError) as caught:
            do(api, list_customers, x_svc_simular=ListCustomersXSvcSimular.OCUPADO)
        self.assertEqual((caught.exception.status, caught.exception.codigo), (503, "ocupado"))
        key = str(uuid4())
        first = do(api, create_customer, body=ANA, idempotency_key=key)
        self.assertEqual(do(api, create_customer, body=ANA, idempotency_key=key), first)


if __name__ == "__main__":
    unittest.main()
