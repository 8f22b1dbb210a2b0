// What every client of svc wants over the generated types: requests that are sent again when that is safe,
// an Idempotency-Key for every write, the records of a list over all its pages, notices that are genuine.
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import createClient, { type Client } from "openapi-fetch";
import { verify } from "../webhooks/verify.mjs";
import type { components, paths, webhooks } from "./svc-api.js";

export { verify };

/** Where the API is, and whose key asks: what `svc demo` prints, by default. */
export interface Connection {
  baseUrl?: string;
  keyId?: string;
  apiKey?: string;
  /** How often a request is sent at most. */
  attempts?: number;
  /** The longest wait between two attempts, in seconds; an answer that asks for a longer one is given. */
  patience?: number;
  fetch?: (request: Request) => Promise<Response>;
}

/** The paths without their Idempotency-Key, which the client adds. */
type Keyless<Paths> = {
  [P in keyof Paths]: {
    [M in keyof Paths[P]]: Paths[P][M] extends { parameters: { header: infer H } }
      ? Omit<Paths[P][M], "parameters"> & {
          parameters: Omit<Paths[P][M]["parameters"], "header"> & { header?: Partial<H> };
        }
      : Paths[P][M];
  };
};

/** A client of the API. */
export type Svc = Client<Keyless<paths>>;

/** A client whose writes have their Idempotency-Keys and whose requests are sent again; `Paths` of another
 * document, such as the office's, if not of the API's. */
export function connect<Paths extends {} = paths>(connection: Connection = {}): Client<Keyless<Paths>> {
  const { SVC_BASE_URL, SVC_KEY_ID = "", SVC_API_KEY = "" } = process.env;
  const { baseUrl = SVC_BASE_URL, keyId = SVC_KEY_ID, apiKey = SVC_API_KEY } = connection;
  return createClient<Keyless<Paths>>({
    baseUrl,
    headers: { Authorization: `Bearer ${apiKey}`, "X-Svc-Key-Id": keyId },
    fetch: (request: Request) => persist(request, connection),
  });
}

const WRITES = ["POST", "PUT", "PATCH", "DELETE"];
/** Statuses that say nothing of the request itself: limits, failures of the service, and whatever is between. */
const PASSING = [429, 500, 502, 503, 504];

/** Sends a request until it has an answer that another attempt would not change. All attempts at a write
 * have the same Idempotency-Key, so it is done once. */
async function persist(request: Request, connection: Connection): Promise<Response> {
  const { attempts = 5, patience = 60, fetch = globalThis.fetch } = connection;
  const headers = new Headers(request.headers);
  if (WRITES.includes(request.method) && !headers.has("Idempotency-Key")) headers.set("Idempotency-Key", randomUUID());
  const { url, method, signal } = request;
  const body = request.body === null ? null : await request.arrayBuffer();
  for (let attempt = 1; ; attempt++) {
    let answer: Response | undefined;
    try {
      answer = await fetch(new Request(url, { method, headers, body, signal }));
      // An answer whose body broke off is none.
      const bytes = await answer.arrayBuffer();
      answer = new Response(bytes.byteLength > 0 ? bytes : null, answer);
      if (!(await isPassing(answer))) return answer;
    } catch (failure) {
      answer = undefined;
      // An aborted request is not repeated; a connection that broke may have carried the request.
      if (signal.aborted || attempt >= attempts) throw failure;
    }
    const wait = asked(answer) ?? Math.random() * Math.min(patience, 2 ** attempt / 2);
    if (answer && (attempt >= attempts || wait > patience)) return answer;
    await sleep(wait * 1_000, undefined, { signal });
  }
}

/** Whether a later attempt may be answered otherwise; so while an earlier one with its key is under way. */
async function isPassing(answer: Response): Promise<boolean> {
  if (answer.status !== 409) return PASSING.includes(answer.status);
  const refused = (await answer.clone().json().catch(() => undefined)) as components["schemas"]["Error"] | undefined;
  return refused?.error?.codigo === "idempotencia_en_curso";
}

/** The seconds of Retry-After. */
function asked(answer?: Response): number | undefined {
  const seconds = answer?.headers.get("Retry-After");
  return seconds && /^\d+$/.test(seconds) ? Number(seconds) : undefined;
}

/** An error that the API answered. */
export class SvcError extends Error {
  constructor(
    readonly status: number,
    readonly codigo: string,
    readonly mensaje: string,
    /** What support asks for. */
    readonly peticion: string,
  ) {
    super(`${codigo}: ${mensaje} (${peticion})`);
  }
}

interface Answered<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** What an answer holds; an error is thrown. */
export function given<T>({ data, error, response }: Answered<T>): T {
  if (data !== undefined) return data;
  const { codigo, mensaje, peticion } = (error as components["schemas"]["Error"] | undefined)?.error ?? {};
  throw new SvcError(response.status, codigo ?? "sin_codigo", mensaje ?? response.statusText, peticion ?? "");
}

type PageOf<P extends keyof paths> = paths[P] extends {
  get: { responses: { 200: { content: { "application/json": infer Page } } } };
}
  ? Page
  : never;

/** The paths of lists. */
export type ListPath = {
  [P in keyof paths]: PageOf<P> extends { datos: unknown[]; siguiente: unknown } ? P : never;
}[keyof paths];

/** A record of a list. */
export type RecordOf<P extends ListPath> = PageOf<P> extends { datos: (infer T)[] } ? T : never;

type FiltersOf<P extends ListPath> = paths[P] extends { get: { parameters: { query?: infer Q } } }
  ? Omit<NonNullable<Q>, "cursor">
  : never;

type PathOf<P extends ListPath> = paths[P] extends { get: { parameters: { path: infer Path } } } ? Path : undefined;

/** Every record of a list, page by page, as they are asked for. */
export async function* records<P extends ListPath>(
  api: Svc,
  list: P,
  filters?: FiltersOf<P>,
  path?: PathOf<P>,
): AsyncGenerator<RecordOf<P>> {
  type Get = (list: string, init: unknown) => Promise<Answered<{ datos: RecordOf<P>[]; siguiente?: string | null; hay_mas: boolean }>>;
  const get = api.GET as unknown as Get;
  let cursor: string | undefined;
  let more = true;
  while (more) {
    const page = given(await get(list, { params: { query: { ...filters, cursor }, path } }));
    yield* page.datos;
    // The list of events gives a cursor at its end too, for what happens later.
    [cursor, more] = [page.siguiente ?? undefined, page.hay_mas];
  }
}

type Bodies = {
  [E in keyof webhooks]: webhooks[E] extends {
    post: { requestBody?: { content: { "application/json": infer Body } } };
  }
    ? Body
    : never;
};

/** A notice of a webhook. */
export type Notice<E extends keyof webhooks = keyof webhooks> = Bodies[E];

/** The notice in a body if its X-Svc-Firma is genuine and at most five minutes old; `body` is the raw one.
 * Notices may come more than once: recognise them by their id. */
export function notice(signature: string | undefined, body: Buffer, secret: string): Notice | undefined {
  return signature !== undefined && verify(signature, body, secret) ? (JSON.parse(body.toString()) as Notice) : undefined;
}
