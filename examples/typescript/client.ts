// A client with types generated from the OpenAPI document, over the thin layer of svc.ts:
//   svc openapi > svc.json && npm install && npx openapi-typescript svc.json -o svc-api.d.ts
// svc.ts takes the verifier from ../webhooks. Runs against the demo: svc demo prints SVC_BASE_URL, SVC_KEY_ID and
// SVC_API_KEY.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { connect, given, notice, records, type Notice } from "./svc.js";

const api = connect();

const seen = new Set<number>();
for await (const customer of records(api, "/clientes", { limite: 30 })) {
  assert(!seen.has(customer.clave), "a record came twice");
  seen.add(customer.clave);
}
assert(seen.size > 30);
console.log(`${seen.size} customers`);

// A webhook that leads to this process; the demo allows that.
const receiver = createServer().listen(0, "127.0.0.1");
await once(receiver, "listening");
const { port } = receiver.address() as AddressInfo;
const arrival = once(receiver, "request") as Promise<[IncomingMessage, ServerResponse]>;
const webhook = given(
  await api.POST("/webhooks", {
    body: { url: `http://localhost:${port}/`, eventos: ["cliente.creado"] },
  }),
);

// Sent twice, created once: both answers are the same.
const request = { params: { header: { "Idempotency-Key": randomUUID() } }, body: { nombre: "Cliente de TypeScript", cp: "06700" } };
const first = await api.POST("/clientes", request);
const second = await api.POST("/clientes", request);
const created = given(first);
assert.equal(first.response.status, 201);
assert.equal(second.response.status, 200);
assert.equal(second.response.headers.get("Idempotent-Replayed"), "true");
assert.deepEqual(given(second), created);
console.log(`customer ${created.cliente}, created once`);

// Its notice, accepted only if X-Svc-Firma verifies over the raw body.
const [sent, answer] = await arrival;
const body = Buffer.concat(await sent.toArray());
const signature = String(sent.headers["x-svc-firma"]);
const received = notice(signature, body, webhook.secreto ?? "") as Notice<"cliente.creado"> | undefined;
assert.equal(received?.datos.cliente, created.cliente);
assert.equal(notice(signature, Buffer.concat([body, Buffer.from(" ")]), webhook.secreto ?? ""), undefined);
answer.writeHead(204).end();
receiver.close();
given(await api.DELETE("/webhooks/{clave}", { params: { path: { clave: webhook.clave } } }));
console.log(`notice ${received?.id} verified`);

// Errors are typed too.
const refused = await api.PUT("/clientes/{clave}", {
  params: { path: { clave: 0 } },
  body: { nombre: "Nadie" },
});
assert.equal(refused.error?.error.codigo, "no_encontrado");
