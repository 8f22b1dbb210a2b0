// A client whose types are made of the interface's description:
//   svc openapi > openapi.json && npx openapi-typescript openapi.json -o api.d.ts
// Run against the demo: SVC_BASE_URL, SVC_KEY_ID and SVC_API_KEY are what svc demo prints.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import createClient from "openapi-fetch";
import type { components, paths, webhooks } from "./api.js";

const { SVC_BASE_URL, SVC_KEY_ID = "", SVC_API_KEY } = process.env;
const api = createClient<paths>({
  baseUrl: SVC_BASE_URL,
  headers: { Authorization: `Bearer ${SVC_API_KEY}`, "X-Svc-Key-Id": SVC_KEY_ID },
});

type Customer = components["schemas"]["Customer"];

/** Every customer that the filters find, page by page. */
async function* customers(query: { prospecto?: boolean; nombre?: never } = {}): AsyncGenerator<Customer> {
  let cursor: string | undefined;
  do {
    const { data, error } = await api.GET("/clientes", { params: { query: { ...query, cursor, limite: 30 } } });
    if (error) throw new Error(`${error.error.codigo}: ${error.error.mensaje} (${error.error.peticion})`);
    yield* data.datos;
    cursor = data.siguiente ?? undefined;
  } while (cursor);
}

const seen = new Set<number>();
for await (const customer of customers()) {
  assert(!seen.has(customer.clave), "a record came twice");
  seen.add(customer.clave);
}
console.log(`${seen.size} customers`);

// Created once, though it is sent twice: both answers are the same.
const request = {
  params: { header: { "Idempotency-Key": randomUUID() } },
  body: { nombre: "Cliente de TypeScript", cp: "06700" },
};
const first = await api.POST("/clientes", request);
const second = await api.POST("/clientes", request);
assert.equal(first.response.status, 201);
assert.equal(second.response.status, 200);
assert.equal(second.response.headers.get("Idempotent-Replayed"), "true");
assert.deepEqual(second.data, first.data);
console.log(`customer ${first.data?.cliente}, created once`);

// What an error says is typed too.
const refused = await api.PUT("/clientes/{clave}", {
  params: { path: { clave: 0 }, header: { "Idempotency-Key": randomUUID() } },
  body: { nombre: "Nadie" },
});
assert.equal(refused.error?.error.codigo, "no_encontrado");

/** A notice, once its signature is verified (see ../webhooks/verify.mjs). */
export type Stamped = webhooks["factura.timbrada"]["post"]["requestBody"]["content"]["application/json"];
export const folio = (notice: Stamped): string => notice.datos.uuid;
