import type { JsonObject } from "../../src/base/json.ts";
import { isObject, parseJson, stringAt } from "../../src/base/json.ts";
import { anthropicWire } from "./mock-provider/anthropic-wire.ts";
import { chatWire } from "./mock-provider/chat-wire.ts";
import { responsesWire } from "./mock-provider/responses-wire.ts";
import type { Turn } from "./mock-provider/turn.ts";
import type { Wire } from "./mock-provider/wire.ts";

export interface CloudRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The body as JSON or as a form; empty where it is neither. */
  readonly body: JsonObject;
}

export interface CloudDouble extends AsyncDisposable {
  readonly url: string;
  readonly requests: readonly CloudRequest[];
  /** Returns the requests whose path contains `part`. */
  to(part: string): readonly CloudRequest[];
  /** Waits until something holds of the requests so far. */
  until(holds: (requests: readonly CloudRequest[]) => boolean): Promise<void>;
}

/** Answers what its route says; the first whose name stands in the path is taken. */
export type CloudRoutes = Readonly<
  Record<string, (request: CloudRequest, count: number) => Response | Promise<Response>>
>;

/** A cloud's server on this machine, with what each of its addresses answers. */
export function startCloudDouble(routes: CloudRoutes): CloudDouble {
  const requests: CloudRequest[] = [];
  const counts = new Map<string, number>();
  const watchers = new Set<() => void>();
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(incoming) {
      const { pathname, search } = new URL(incoming.url);
      const text = await incoming.text();
      const parsed = parseJson(text)?.value;
      const body = isObject(parsed) ? parsed : Object.fromEntries(new URLSearchParams(text));
      const headers = Object.fromEntries(incoming.headers);
      const request = { method: incoming.method, path: pathname + search, headers, text, body };
      requests.push(request);
      for (const watcher of [...watchers]) watcher();
      const name = Object.keys(routes).find((each) => request.path.includes(each));
      if (name === undefined)
        return Response.json({ error: { message: "no such address" } }, { status: 404 });
      const count = (counts.get(name) ?? 0) + 1;
      counts.set(name, count);
      return await (routes[name]?.(request, count) ?? new Response(null, { status: 500 }));
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    requests,
    to: (part) => requests.filter(({ path }) => path.includes(part)),
    until(holds) {
      if (holds(requests)) return Promise.resolve();
      return new Promise((resolve) => {
        const watcher = () => {
          if (!holds(requests)) return;
          watchers.delete(watcher);
          resolve();
        };
        watchers.add(watcher);
      });
    },
    async [Symbol.asyncDispose]() {
      await server.stop(true);
    },
  };
}

/** An answer of a model on one of the three wires. */
export function spoken(
  wire: "anthropic" | "chat" | "responses",
  request: CloudRequest,
  turn: Turn,
): Response {
  const wires: Readonly<Record<typeof wire, Wire>> = {
    anthropic: anthropicWire,
    chat: chatWire,
    responses: responsesWire,
  };
  const ask = { model: stringAt(request.body, "model") ?? "", number: 1, body: request.body };
  return streamed([...wires[wire].events(turn, ask)].join(""));
}

export function streamed(bytes: string | Uint8Array): Response {
  return new Response(bytes as BodyInit, { headers: { "content-type": "text/event-stream" } });
}
