import type { JsonObject } from "../../../src/base/json.ts";
import { isObject, parseJson, stringAt } from "../../../src/base/json.ts";
import { anthropicWire, countTokens } from "./anthropic-wire.ts";
import { chatWire } from "./chat-wire.ts";
import type { Received } from "./connection.ts";
import { Connection } from "./connection.ts";
import { responsesWire } from "./responses-wire.ts";
import { streamTurn } from "./stream.ts";
import type { Fault, Turn } from "./turn.ts";
import type { Wire } from "./wire.ts";

const WIRES: readonly Wire[] = [anthropicWire, chatWire, responsesWire];

export interface MockOptions {
  /** The answers in their order, one for each request that is valid; or what makes an answer of a request. */
  readonly script: readonly Turn[] | ((request: MockRequest) => Turn);
  /** Absent: any key or none. */
  readonly key?: string;
  /** Absent: any model is known. */
  readonly models?: readonly string[];
  /** Answer of `/models`. Default: made from `models`. */
  readonly catalogue?: unknown;
  /** Requests above so many tokens (bytes/4) are refused in the provider's words. */
  readonly contextTokensMax?: number;
  readonly port?: number;
  /** Called with every request, before it is answered. */
  readonly onRequest?: (request: MockRequest) => void;
}

export interface MockRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonObject;
  /** The connection it came over, from 1. */
  readonly connection: number;
}

export interface MockProvider extends AsyncDisposable {
  /** `http://127.0.0.1:PORT`; each wire is served below it and below `/v1`. */
  readonly url: string;
  readonly requests: readonly MockRequest[];
  /** Connections so far, and those still open. */
  readonly connections: { readonly opened: number; readonly open: number };
  /** Answers that stand still at this moment. */
  readonly stalled: number;
  /** Waits until something holds; looked at whenever a request, a stall or a connection comes or goes. */
  until(holds: (mock: MockProvider) => boolean): Promise<void>;
}

/** A model provider on this machine that speaks the three wires, says what it is told, and fails as it is told. */
export function startMockProvider(options: MockOptions): MockProvider {
  const requests: MockRequest[] = [];
  const open = new Set<Connection>();
  const watchers = new Set<() => void>();
  let opened = 0;
  let stalled = 0;
  let said = 0;

  function changed(): void {
    for (const watcher of [...watchers]) watcher();
  }

  const server = Bun.listen<Connection | undefined>({
    hostname: "127.0.0.1",
    port: options.port ?? 0,
    socket: {
      open(socket) {
        socket.data = new Connection(++opened, socket);
        open.add(socket.data);
        changed();
      },
      async data({ data: connection }, bytes) {
        for (const received of connection?.take(bytes) ?? []) {
          if (connection !== undefined) await answer(connection, received);
        }
      },
      drain: ({ data }) => data?.flush(),
      close({ data }) {
        data?.ended();
        if (data !== undefined) open.delete(data);
        changed();
      },
    },
  });

  async function answer(connection: Connection, received: Received): Promise<void> {
    const [path = ""] = received.target.replace(/^\/v1(?=\/)/, "").split("?");
    const parsed = parseJson(received.body)?.value;
    const { method, headers } = received;
    const body = isObject(parsed) ? parsed : {};
    const request = { method, path, headers, body, connection: connection.number };
    requests.push(request);
    options.onRequest?.(request);
    changed();
    const json = (status: number, value: unknown, more = {}) =>
      connection.answer(status, { "content-type": "application/json", ...more }, JSON.stringify(value));

    const wire = WIRES.find((known) => path.endsWith(known.path));
    const refused = refusal(request, wire, options);
    if (refused !== undefined) {
      const { status, message } = refused;
      return await json(status, (wire ?? chatWire).errorBody(status, message));
    }
    if (path.endsWith("/models")) return await json(200, options.catalogue ?? catalogueOf(options));
    if (path.endsWith("/count_tokens")) return await json(200, { input_tokens: countTokens(body) });
    if (wire === undefined)
      return await connection.answer(404, { "content-type": "text/plain" }, "404 page not found");

    const turn = typeof options.script === "function" ? options.script(request) : options.script[said++];
    if (turn === undefined)
      return await json(400, wire.errorBody(400, "the script of the mock has no more turns"));
    if (turn.fault?.kind === "hang-up") return connection.hangUp();
    if (turn.fault?.kind === "status") return await answerStatus(connection, turn.fault);
    const ask = { model: turn.model ?? stringAt(body, "model") ?? "", number: requests.length, body };
    let held = false;
    await streamTurn(connection, wire, {
      turn,
      ask,
      stalled() {
        held = true;
        stalled += 1;
        changed();
      },
    });
    if (held) stalled -= 1;
    changed();
  }

  const mock: MockProvider = {
    url: `http://127.0.0.1:${server.port}`,
    requests,
    get connections() {
      return { opened, open: open.size };
    },
    get stalled() {
      return stalled;
    },
    until(holds) {
      if (holds(mock)) return Promise.resolve();
      return new Promise((resolve) => {
        const watcher = () => {
          if (!holds(mock)) return;
          watchers.delete(watcher);
          resolve();
        };
        watchers.add(watcher);
      });
    },
    async [Symbol.asyncDispose]() {
      server.stop(true);
      for (const connection of open) connection.hangUp();
    },
  };
  return mock;
}

interface Refused {
  readonly status: number;
  readonly message: string;
}

/** Returns the real provider's refusal, in its order of checks: key, form, model, size. */
function refusal(request: MockRequest, wire: Wire | undefined, options: MockOptions): Refused | undefined {
  const { headers, body } = request;
  const given = headers["x-api-key"] ?? headers["authorization"]?.replace(/^Bearer /i, "");
  if (options.key !== undefined && given !== options.key) {
    return {
      status: 401,
      message: wire === anthropicWire ? "invalid x-api-key" : `Incorrect API key provided: ${given}`,
    };
  }
  if (wire === undefined) return undefined;
  if (wire === anthropicWire && headers["anthropic-version"] === undefined) {
    return { status: 400, message: "anthropic-version: header is required" };
  }
  const complaint = wire.complaint(body);
  if (complaint !== undefined) return { status: 400, message: complaint };
  if (body["stream"] !== true) return { status: 400, message: "stream: this server only streams" };
  const model = stringAt(body, "model") ?? "";
  if (options.models !== undefined && !options.models.includes(model)) {
    return { status: 404, message: wire.unknownModel(model) };
  }
  const tokens = Math.ceil(JSON.stringify(body).length / 4);
  const { contextTokensMax } = options;
  return contextTokensMax !== undefined && tokens > contextTokensMax
    ? { status: 400, message: wire.overflow(tokens, contextTokensMax) }
    : undefined;
}

async function answerStatus(
  connection: Connection,
  fault: Extract<Fault, { kind: "status" }>,
): Promise<void> {
  const { status, body = "", headers = {} } = fault;
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const type = typeof body === "string" ? "text/plain" : "application/json";
  await connection.answer(status, { "content-type": type, ...headers }, text);
}

function catalogueOf({ models = ["mock-model"] }: MockOptions) {
  return {
    object: "list",
    data: models.map((id) => ({ id, object: "model", created: 0, owned_by: "mock" })),
  };
}
