"""Signs in to Tryton, creates customers, and prints the header of the session."""

import base64
import json
import sys
import urllib.request

url, count = sys.argv[1], int(sys.argv[2])


def call(method, *params, session=None):
    headers = {"Content-Type": "application/json"}
    if session:
        headers["Authorization"] = session
    body = json.dumps({"id": 1, "method": method, "params": params}).encode()
    with urllib.request.urlopen(urllib.request.Request(url, body, headers)) as answer:
        said = json.load(answer)
    if "error" in said:
        sys.exit(f"{method}: {said['error']}")
    return said["result"]


user, token, *_ = call("common.db.login", "admin", {"password": "admin"}, "en")
session = "Session " + base64.b64encode(f"admin:{user}:{token}".encode()).decode()
for _ in range(0, count, 1000):
    call("model.party.party.create", [{"name": "Ana"}] * 1000, {}, session=session)
print(session)
