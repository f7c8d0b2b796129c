import { createInterface } from "node:readline";
import type { SessionId } from "../src/base/ids.ts";
import { SILENT_LOG } from "../src/base/log.ts";
import { connectRemote } from "../src/client/remote/connect-remote.ts";
import { hostWorld } from "../src/platform/host.ts";
import { PROTOCOL_VERSION } from "../src/protocol/version.ts";

/**
 * Clients like a screen with a list of sessions: each reads the news, subscribes to one session and asks for a
 * page of the list and of the items every half second. `rich-clients.ts SPEC`: prints true once all have had an
 * answer, and the counts of what came in answer to each line.
 */
export interface RichClients {
  readonly url: string;
  readonly token: string;
  readonly sessions: readonly SessionId[];
  readonly clients: number;
}

const QUERY_EVERY_MS = 500;
const spec: RichClients = JSON.parse(Bun.argv[2] ?? "");
const world = hostWorld(SILENT_LOG);
const { signal } = new AbortController();
const counts = { news: 0, events: 0, answers: 0 };

await Promise.all(
  Array.from({ length: spec.clients }, (_, at) => open(spec.sessions[at % spec.sessions.length])),
);
tell(true);
for await (const _ of createInterface({ input: process.stdin })) {
  tell({ ...counts });
  Object.assign(counts, { news: 0, events: 0, answers: 0 });
}

async function open(sessionId: SessionId | undefined): Promise<void> {
  if (sessionId === undefined) throw new Error("each client follows a session");
  const connection = await connectRemote(
    {
      url: spec.url,
      token: () => spec.token,
      fetch: (address, init) => fetch(address, init),
      openSocket: (address, protocols) => new WebSocket(address, protocols),
      clock: world.clock,
      random: world.random,
      label: "rich",
    },
    signal,
  );
  await connection.handshake(PROTOCOL_VERSION);
  const ask = async () => {
    await connection.query({ kind: "ListSessions", past: true, limit: 50, reader: "bench" });
    await connection.query({ kind: "ListItems", sessionId, limit: 50 });
    counts.answers += 2;
  };
  void count("news", connection.news({ signal }));
  void count("events", connection.subscribe(sessionId, { signal }));
  await ask();
  void repeat(ask);
}

async function count(what: "news" | "events", stream: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of stream) counts[what] += 1;
}

async function repeat(ask: () => Promise<void>): Promise<never> {
  for (;;) {
    await world.clock.sleep(QUERY_EVERY_MS, signal);
    await ask();
  }
}

function tell(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}
