#!/usr/bin/env python3
"""Compares a page of 30 customers and the creation of one with Tryton's, each asked by the same client
over one kept-alive connection, in turns.

    pip install trytond trytond_party psycopg2-binary gunicorn
    DATABASE_URI=postgresql://USER@HOST:PORT/ tests/benches/tryton.py http://127.0.0.1:3000/api/v1 KEY_ID API_KEY

The first server is `svc serve` or `svc demo`, started with --rate-per-minute 1000000; Tryton gets the
database `tryton_bench` of DATABASE_URI, and two workers of gunicorn. Prints medians in milliseconds.
"""
import base64
import http.client
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse
import uuid

ROUNDS, REQUESTS, RECORDS = 5, 100, 1000
DATABASE, PASSWORD, ADDRESS = "tryton_bench", "bench-password", "127.0.0.1:8123"


class Client:
    """Requests over one connection."""

    def __init__(self, address, headers):
        self.connection = http.client.HTTPConnection(address)
        self.headers = headers

    def ask(self, method, path, body=None, headers={}):
        text = None if body is None else json.dumps(body)
        self.connection.request(method, path, text, {**self.headers, **headers})
        answer = self.connection.getresponse()
        content = json.loads(answer.read())
        assert answer.status in (200, 201) and "error" not in content, (answer.status, content)
        return content


class Svc:
    def __init__(self, base, key_id, api_key):
        url = urllib.parse.urlsplit(base)
        headers = {"Authorization": f"Bearer {api_key}", "X-Svc-Key-Id": key_id, "Content-Type": "application/json"}
        self.client, self.base = Client(url.netloc, headers), url.path

    def create(self, number):
        body = {"nombre": f"Cliente {number}", "correo": "compras@example.com"}
        self.client.ask("POST", f"{self.base}/clientes", body, {"Idempotency-Key": str(uuid.uuid4())})

    def page(self):
        assert len(self.client.ask("GET", f"{self.base}/clientes?limite=30")["datos"]) == 30


class Tryton:
    def __init__(self):
        self.client = Client(ADDRESS, {"Content-Type": "application/json"})
        user, session = self.call("common.db.login", "admin", {"password": PASSWORD}, "en")[:2]
        token = base64.b64encode(f"admin:{user}:{session}".encode()).decode()
        self.client.headers["Authorization"] = f"Session {token}"

    def call(self, method, *params):
        return self.client.ask("POST", f"/{DATABASE}/", {"id": 0, "method": method, "params": params})["result"]

    def create(self, number):
        mail = [["create", [{"type": "email", "value": "compras@example.com"}]]]
        party = {"name": f"Cliente {number}", "contact_mechanisms": mail}
        self.call("model.party.party.create", [party], {})

    def page(self):
        fields = ["name", "code", "email", "phone", "mobile", "website", "write_date"]
        page = self.call("model.party.party.search_read", [], 0, 30, [["id", "ASC"]], fields, {})
        assert len(page) == 30


def started(folder):
    """Makes Tryton's database and starts its server."""
    config = os.path.join(folder, "trytond.conf")
    with open(config, "w") as file:
        file.write(f"[database]\nuri = {os.environ['DATABASE_URI']}\n")
    bin = os.path.dirname(sys.executable)
    password = os.path.join(folder, "password")
    with open(password, "w") as file:
        file.write(PASSWORD)
    admin = [os.path.join(bin, "trytond-admin"), "-c", config, "-d", DATABASE]
    environment = {**os.environ, "TRYTONPASSFILE": password, "TRYTOND_CONFIG": config, "TRYTOND_DATABASE_NAMES": DATABASE}
    subprocess.run([*admin, "--all", "-u", "party", "--activate-dependencies", "--email", "a@example.com"],
                   env=environment, check=True)
    server = subprocess.Popen([os.path.join(bin, "gunicorn"), "-w", "2", "--threads", "4", "-b", ADDRESS, "trytond.application:app"],
                              env=environment)
    for _ in range(100):
        time.sleep(0.2)
        try:
            http.client.HTTPConnection(ADDRESS).connect()
            return server
        except OSError:
            pass
    raise SystemExit("Tryton does not start")


def timed(ask):
    times = []
    for number in range(REQUESTS):
        began = time.perf_counter()
        ask(number)
        times.append(time.perf_counter() - began)
    return statistics.median(times) * 1000


def main():
    with tempfile.TemporaryDirectory() as folder:
        server = started(folder)
        try:
            peers = {"svc": Svc(*sys.argv[1:]), "Tryton": Tryton()}
            for peer in peers.values():
                for number in range(RECORDS):
                    peer.create(number)
            for what, ask in [
                ("a page of 30", lambda peer: lambda _: peer.page()),
                ("a creation", lambda peer: peer.create),
            ]:
                times = {name: [timed(ask(peer)) for _ in range(ROUNDS)] for name, peer in peers.items()}
                print(what, *(f"{name} {statistics.median(each):.2f} ms" for name, each in times.items()), sep=" | ")
        finally:
            server.terminate()
            server.wait()


main()
