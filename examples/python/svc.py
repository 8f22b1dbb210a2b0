"""What every client of svc wants over the generated types: requests that are sent again when that is safe, an
Idempotency-Key for every write, the records of a list over all its pages, notices that are genuine."""

import inspect
import json
import os
import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any
from uuid import uuid4

import httpx
from svc_client import AuthenticatedClient
from svc_client.types import UNSET

sys.path.append(str(Path(__file__).parent.parent / "webhooks"))
from verify import verify  # noqa: E402

# Statuses that say nothing of the request itself: limits, failures of the service, and whatever is between.
PASSING = {429, 500, 502, 503, 504}
READS = {"GET", "HEAD", "OPTIONS"}


class SvcError(Exception):
    """An error that the API answered; support asks for its `peticion`."""

    def __init__(self, status: int, codigo: str, mensaje: str, peticion: str) -> None:
        super().__init__(f"{codigo}: {mensaje} ({peticion})")
        self.status, self.codigo, self.mensaje, self.peticion = status, codigo, mensaje, peticion


class Persistent(httpx.BaseTransport):
    """Sends a request until it has an answer that another attempt would not change. All attempts at a write have the
    same Idempotency-Key, so it is done once."""

    def __init__(self, inner: httpx.BaseTransport, attempts: int, patience: float) -> None:
        self.inner, self.attempts, self.patience = inner, attempts, patience

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if request.method not in READS and "Idempotency-Key" not in request.headers:
            request.headers["Idempotency-Key"] = str(uuid4())
        request.read()
        attempt = 0
        while True:
            attempt += 1
            answer = None
            try:
                answer = self.inner.handle_request(request)
                # An answer whose body broke off is none.
                answer.read()
                if not is_passing(answer):
                    return from_api(answer)
            except httpx.TransportError:
                # A connection that broke may have carried the request.
                answer = None
                if attempt >= self.attempts:
                    raise
            wait = asked(answer)
            if wait is None:
                wait = random.uniform(0, min(self.patience, 2**attempt / 2))
            if answer is not None:
                if attempt >= self.attempts or wait > self.patience:
                    return from_api(answer)
            time.sleep(wait)

    def close(self) -> None:
        self.inner.close()


def error_in(status: int, body: bytes) -> SvcError:
    """The error in an answer; its `codigo` is `sin_codigo` if the answer is not the API's."""
    try:
        error = json.loads(body)["error"]
        return SvcError(status, error["codigo"], error["mensaje"], error["peticion"])
    except (ValueError, KeyError, TypeError):
        return SvcError(status, "sin_codigo", "", "")


def from_api(answer: httpx.Response) -> httpx.Response:
    """The answer; an error that something before the API answered is raised, since no generated type fits it."""
    if answer.status_code >= 400:
        error = error_in(answer.status_code, answer.content)
        if error.codigo == "sin_codigo":
            raise error
    return answer


def is_passing(answer: httpx.Response) -> bool:
    """Whether a later attempt may be answered otherwise; so while an earlier one with its key is under way."""
    if answer.status_code != 409:
        return answer.status_code in PASSING
    try:
        return json.loads(answer.content)["error"]["codigo"] == "idempotencia_en_curso"
    except (ValueError, KeyError, TypeError):
        return False


def asked(answer: httpx.Response | None) -> float | None:
    """The seconds of Retry-After."""
    seconds = "" if answer is None else answer.headers.get("Retry-After", "")
    return float(seconds) if seconds.isascii() and seconds.isdigit() else None


def connect(
    base_url: str | None = None,
    key_id: str | None = None,
    api_key: str | None = None,
    *,
    attempts: int = 5,
    patience: float = 60,
    timeout: float = 30,
) -> AuthenticatedClient:
    """A client of the API at that address, by default as `svc demo` prints it. A request is sent `attempts` times at
    most, and given up after `timeout` seconds without a byte; an answer that asks to wait for more than `patience`
    seconds is given."""
    return AuthenticatedClient(
        base_url=base_url or os.environ["SVC_BASE_URL"],
        token=api_key or os.environ["SVC_API_KEY"],
        headers={"X-Svc-Key-Id": key_id or os.environ["SVC_KEY_ID"]},
        timeout=httpx.Timeout(timeout),
        httpx_args={"transport": Persistent(httpx.HTTPTransport(), attempts, patience)},
    )


def do(client: AuthenticatedClient, operation: ModuleType, *path: Any, **arguments: Any) -> Any:
    """Runs a generated operation, such as `create_customer`; gives what it answers, a file as bytes. A write gets an
    Idempotency-Key unless there is one. An error is raised."""
    if "idempotency_key" in inspect.signature(operation.sync_detailed).parameters:
        arguments.setdefault("idempotency_key", str(uuid4()))
    answer = operation.sync_detailed(*path, client=client, **arguments)
    if answer.status_code >= 400:
        raise error_in(int(answer.status_code), answer.content)
    return answer.content if answer.parsed is None else answer.parsed


def records(client: AuthenticatedClient, operation: ModuleType, *path: Any, **filters: Any) -> Iterator[Any]:
    """Every record of a list, such as `list_customers`, page by page, as they are asked for."""
    cursor: Any = UNSET
    while True:
        page = do(client, operation, *path, cursor=cursor, **filters)
        yield from page.datos
        # The list of events gives a cursor at its end too, for what happens later.
        if not page.hay_mas:
            return
        cursor = page.siguiente


def notice(signature: str | None, body: bytes, secret: str) -> dict[str, Any] | None:
    """The notice in a raw body if its X-Svc-Firma is genuine and at most five minutes old. Notices may come more than
    once: recognise them by their id."""
    if signature is None or not verify(signature, body, secret):
        return None
    return json.loads(body)
