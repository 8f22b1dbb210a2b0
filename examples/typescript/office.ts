// The office with types generated from its OpenAPI document (svc openapi --office). Runs against
// svc demo --office.
import assert from "node:assert/strict";
import type { paths } from "./office-api.js";
import { connect } from "./svc.js";

const office = connect<paths>({ baseUrl: process.env.SVC_BASE_URL?.replace(/\/api\/v1$/, "/office/v1") });

// A quote by the office, whose answer has a type.
const sale = await office.POST("/sale.capture", {
  body: { tipo: "cotizacion", cliente: 1, renglones: [{ producto: 1, cantidad: 1, precio_unitario: "10.00" }] },
});
assert(sale.data, JSON.stringify(sale.error));
const { venta }: { venta: number } = sale.data;

// What would happen to it, without it.
const rehearsed = await office.POST("/quote.order", {
  params: { header: { "X-Svc-Ensayo": "true" } },
  body: { venta },
});
assert.equal(rehearsed.data?.venta, venta);
const read = await office.POST("/sale.get", { body: { clave: venta } });
assert.equal((read.data as { tipo?: string })?.tipo, "cotizacion");

// Two actions in one transaction.
const batch = await office.POST("/batch", {
  body: {
    acciones: [
      { accion: "customer.create", entrada: { nombre: "Cliente de la oficina" } },
      { accion: "customer.edit", entrada: { clave: { $: "0.cliente" }, limite_credito: "5000.00" } },
    ],
  },
});
assert.equal(batch.data?.resultados.length, 2, JSON.stringify(batch.error));

// An error has its code.
const refused = await office.POST("/sale.get", { body: { clave: 0 } });
assert.equal(refused.error?.error.codigo, "no_encontrado");
console.log(`quote ${venta} by the office`);
