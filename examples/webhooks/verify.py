import hashlib
import hmac
import time


def verify(signature: str, body: bytes, secret: str, now: float | None = None) -> bool:
    """Whether a notice is genuine: `signature` is X-Svc-Firma, `body` the raw body, `secret` the whole whsec_… text."""
    parts = [part.split("=", 1) for part in signature.split(",") if "=" in part]
    t = next((value for name, value in parts if name == "t"), "")
    if not (t.isascii() and t.isdigit() and len(t) < 13) or abs((time.time() if now is None else now) - int(t)) > 300:
        return False
    expected = hmac.new(secret.encode(), t.encode() + b"." + body, hashlib.sha256).hexdigest()
    given = [value.encode(errors="replace") for name, value in parts if name == "v1"]
    return any(hmac.compare_digest(expected.encode(), value) for value in given)
