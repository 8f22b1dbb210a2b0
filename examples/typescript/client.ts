// A client with types generated from the OpenAPI document:
//   svc openapi > svc.json && npm install && npx openapi-typescript svc.json -o svc-api.d.ts
// Runs against the demo: svc demo prints SVC_BASE_URL, SVC_KEY_ID and SVC_API_KEY.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import createClient from "openapi-fetch";
import { verify } from "../webhooks/verify.mjs";
import type { components, paths, webhooks } from "./svc-api.js";

const { SVC_BASE_URL, SVC_KEY_ID = "", SVC_API_KEY } = process.env;
const api = createClient<paths>({
  baseUrl: SVC_BASE_URL,
  headers: { Authorization: `Bearer ${SVC_API_KEY}`, "X-Svc-Key-Id": SVC_KEY_ID },
});

type Customer = components["schemas"]["Customer"];
type Notice = webhooks["cliente.creado"]["post"]["requestBody"]["content"]["application/json"];

/** What an answer holds; an error is thrown. */
function given<T>({ data, error }: { data?: T; error?: components["schemas"]["Error"] }): T {
  if (data === undefined) throw new Error(`${error?.error.codigo}: ${error?.error.mensaje} (${error?.error.peticion})`);
  return data;
}

/** A new Idempotency-Key: kept until the answer is there, and sent again with each repetition. */
const single = () => ({ "Idempotency-Key": randomUUID() });

/** Every customer, page by page. */
async function* customers(): AsyncGenerator<Customer> {
  let cursor: string | undefined;
  do {
    const page = given(await api.GET("/clientes", { params: { query: { cursor, limite: 30 } } }));
    yield* page.datos;
    cursor = page.siguiente ?? undefined;
  } while (cursor);
}

const seen = new Set<number>();
for await (const customer of customers()) {
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
    params: { header: single() },
    body: { url: `http://localhost:${port}/`, eventos: ["cliente.creado"] },
  }),
);

// Sent twice, created once: both answers are the same.
const request = { params: { header: single() }, body: { nombre: "Cliente de TypeScript", cp: "06700" } };
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
assert(verify(signature, body, webhook.secreto ?? ""));
assert(!verify(signature, Buffer.concat([body, Buffer.from(" ")]), webhook.secreto ?? ""));
const notice = JSON.parse(body.toString()) as Notice;
assert.equal(notice.datos.cliente, created.cliente);
answer.writeHead(204).end();
receiver.close();
given(await api.DELETE("/webhooks/{clave}", { params: { path: { clave: webhook.clave }, header: single() } }));
console.log(`notice ${notice.id} verified`);

// Errors are typed too.
const refused = await api.PUT("/clientes/{clave}", {
  params: { path: { clave: 0 }, header: single() },
  body: { nombre: "Nadie" },
});
assert.equal(refused.error?.error.codigo, "no_encontrado");
