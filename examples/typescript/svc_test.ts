// Tests of svc.ts against a server that fails as told, and against a demo.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { connect, given, notice, records, SvcError, type Connection, type Svc } from "./svc.js";

interface Seen {
  method: string;
  key: string | undefined;
  body: string;
}
type Step = (request: IncomingMessage, answer: ServerResponse) => void;

/** An answer with this status, error and headers. */
const says =
  (status: number, codigo = "", headers: Record<string, string> = {}): Step =>
  (_, answer) => {
    const body = status < 300 ? { ok: true, cliente: 7 } : { ok: false, error: { codigo, mensaje: "m", peticion: "p" } };
    answer.writeHead(status, { "Content-Type": "application/json", ...headers }).end(JSON.stringify(body));
  };
const breaks: Step = (request) => void request.socket.destroy();

/** Runs `work` with a client of a server that answers by these steps; gives the requests that it saw. */
async function against(steps: Step[], work: (api: Svc) => Promise<void>, more: Connection = {}) {
  const seen: Seen[] = [];
  const server = createServer(async (request, answer) => {
    const body = Buffer.concat(await request.toArray()).toString();
    seen.push({ method: request.method ?? "", key: request.headers["idempotency-key"] as string | undefined, body });
    (steps[Math.min(seen.length, steps.length) - 1] ?? breaks)(request, answer);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await work(connect({ baseUrl: `http://127.0.0.1:${port}`, keyId: "1_a", apiKey: "svc_b", ...more }));
  server.close();
  server.closeAllConnections();
  return seen;
}

const ana = { body: { nombre: "Ana" } };
const soon = { "Retry-After": "0" };

test("a write is sent again with its key and body until it is answered", async () => {
  const steps = [
    says(503, "ocupado", soon), breaks, says(500, "error_interno", soon), says(409, "idempotencia_en_curso", soon), says(201),
  ];
  const seen = await against(steps, async (api) => {
    assert.equal(given(await api.POST("/clientes", ana)).cliente, 7);
    given(await api.POST("/clientes", ana));
  });
  assert.equal(seen.length, 6);
  assert.equal(new Set(seen.slice(0, 5).map(({ key }) => key)).size, 1, "one key for all attempts");
  assert.match(seen[0]?.key ?? "", /^[!-~]{1,255}$/);
  assert.notEqual(seen[5]?.key, seen[0]?.key, "another operation has another key");
  assert(seen.every(({ body }) => body === '{"nombre":"Ana"}'));
});

test("a key that is given stays, and a read has none", async () => {
  const seen = await against([says(429, "limite_excedido", soon), says(201)], async (api) => {
    given(await api.POST("/clientes", { ...ana, params: { header: { "Idempotency-Key": "uno" } } }));
    await api.GET("/clientes");
  });
  assert.deepEqual(seen.map(({ key }) => key), ["uno", "uno", undefined]);
});

test("what another attempt would not change is given at once", async () => {
  for (const [status, codigo] of [[400, "dato_invalido"], [409, "rfc_duplicado"], [422, "rfc_invalido"]] as const) {
    const seen = await against([says(status, codigo)], async (api) => {
      const failure = await api.POST("/clientes", ana).then(given, assert.fail).catch((error: unknown) => error);
      assert(failure instanceof SvcError);
      assert.deepEqual([failure.status, failure.codigo, failure.peticion], [status, codigo, "p"]);
    });
    assert.equal(seen.length, 1);
  }
});

test("Retry-After is waited for, unless it takes too long", async () => {
  const began = Date.now();
  await against([says(503, "ocupado", { "Retry-After": "1" }), says(201)], async (api) => {
    given(await api.POST("/clientes", ana));
  });
  assert(Date.now() - began >= 1_000);
  const seen = await against([says(429, "cupo_agotado", { "Retry-After": "86400" })], async (api) => {
    assert.equal((await api.POST("/clientes", ana)).response.status, 429);
  });
  assert.equal(seen.length, 1);
});

test("attempts end", async () => {
  const busy = await against([says(503, "ocupado", soon)], async (api) => {
    assert.equal((await api.POST("/clientes", ana)).response.status, 503);
  });
  assert.equal(busy.length, 5);
  const seen = await against([breaks], async (api) => void (await assert.rejects(api.POST("/clientes", ana))), {
    attempts: 2,
    patience: 0.01,
  });
  assert.equal(seen.length, 2);
  const aborted = AbortSignal.timeout(200);
  await against([says(503, "ocupado", { "Retry-After": "30" })], async (api) => {
    await assert.rejects(api.POST("/clientes", { ...ana, signal: aborted }));
  });
});

test("an answer that breaks off is none", async () => {
  const breaksOff: Step = (_, answer) => {
    answer.writeHead(201, { "Content-Type": "application/json", "Content-Length": "500" }).write("{");
    setTimeout(() => answer.destroy(), 50);
  };
  const seen = await against([breaksOff, says(201)], async (api) => {
    assert.equal(given(await api.POST("/clientes", ana)).cliente, 7);
  });
  assert.deepEqual([seen.length, new Set(seen.map(({ key }) => key)).size], [2, 1]);
});

test("a list that grows ends", async () => {
  const page: Step = (_, answer) => {
    const body = JSON.stringify({ datos: [], siguiente: "c", hay_mas: false });
    answer.writeHead(200, { "Content-Type": "application/json" }).end(body);
  };
  const seen = await against([page], async (api) => {
    for await (const event of records(api, "/eventos")) assert.fail(`${event}`);
  });
  assert.equal(seen.length, 1);
});

test("a notice is taken only if it is genuine", () => {
  const body = Buffer.from('{"id":"evt_1","tipo":"cliente.creado"}');
  const signed = (t: number, secret = "whsec_0123") =>
    `t=${t},v1=${createHmac("sha256", secret).update(`${t}.`).update(body).digest("hex")}`;
  const now = Math.floor(Date.now() / 1_000);
  assert.equal(notice(signed(now), body, "whsec_0123")?.id, "evt_1");
  assert.equal(notice(`${signed(now, "whsec_old")},v1=${signed(now).split("v1=")[1]}`, body, "whsec_0123")?.id, "evt_1");
  for (const wrong of [undefined, "", "t=x,v1=00", signed(now, "whsec_other"), signed(now - 301), signed(now + 301)]) {
    assert.equal(notice(wrong, body, "whsec_0123"), undefined, `${wrong}`);
  }
  assert.equal(notice(signed(now), Buffer.from("{}"), "whsec_0123"), undefined);
});

test("the demo's lists, errors and limits", async () => {
  const api = connect({ attempts: 2, patience: 2 });
  const claves: number[] = [];
  for await (const customer of records(api, "/clientes", { limite: 7 })) claves.push(customer.clave);
  assert(claves.length > 30 && new Set(claves).size === claves.length, "no record came twice");
  let read = 0;
  for await (const _ of records(api, "/productos")) if (++read === 3) break;
  assert.equal(read, 3);
  const busy = { params: { header: { "X-Svc-Simular": "ocupado" as const } } };
  await assert.rejects(api.GET("/clientes", busy).then(given), { codigo: "ocupado", status: 503 });
  const twice = { ...ana, params: { header: { "Idempotency-Key": `svc-ts-${Date.now()}` } } };
  const first = given(await api.POST("/clientes", twice));
  assert.deepEqual(given(await api.POST("/clientes", twice)), first);
});
