// The first calls: a list over all its pages, a write that is done once, an error by its code.
import { connect, given, records, SvcError } from "./svc.js";

// Where the API is and whose key asks: SVC_BASE_URL, SVC_KEY_ID and SVC_API_KEY.
const api = connect();

let customers = 0;
for await (const _ of records(api, "/clientes")) customers += 1;
console.log(`${customers} customers`);

// Sent again where that is safe, with the same Idempotency-Key.
const created = given(await api.POST("/clientes", { body: { nombre: "Ferretería La Paz", cp: "06700" } }));
console.log(`customer ${created.cliente}`);

try {
  given(await api.PUT("/clientes/{clave}", { params: { path: { clave: 0 } }, body: { nombre: "Nadie" } }));
} catch (error) {
  if (!(error instanceof SvcError && error.codigo === "no_encontrado")) throw error;
  console.log(error.mensaje);
}
