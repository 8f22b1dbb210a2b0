// A host's own operations with types generated from its OpenAPI document (examples/parcels). Runs
// against its demo.
import assert from "node:assert/strict";
import type { paths } from "./parcels-api.js";
import { connect } from "./svc.js";

const api = connect<paths>();

// An order of the API, then a parcel of the host's.
const order = await api.POST("/ventas", {
  body: { tipo: "pedido", cliente: 1, renglones: [{ producto: 1, cantidad: 1, precio_unitario: "10.00" }] },
});
assert(order.data, JSON.stringify(order.error));
const parcel = { body: { venta: order.data.venta, guia: "794612345678" } };
const sent = await api.POST("/paqueteria/envios", parcel);
assert(sent.data, JSON.stringify(sent.error));
const again = await api.POST("/paqueteria/envios", parcel);
assert.equal(again.error?.error.codigo, "venta_ya_enviada");
const page = await api.GET("/paqueteria/envios", { params: { query: { venta: order.data.venta } } });
assert.equal(page.data?.datos[0]?.guia, "794612345678");
console.log(`parcel ${sent.data.envio} of the host`);
