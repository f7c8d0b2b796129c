import { connect } from "node:net";
import { createInterface } from "node:readline";
import { PROTOCOL_VERSION } from "../src/protocol/version.ts";
import { nowNs } from "./processes.ts";
import type { Arrival, WatchSpec } from "./watching.ts";
import { linesOf } from "./watching.ts";

/**
 * Clients that watch sessions over one wire: `watchers.ts SPEC`. Says true when all of them are connected. Each line
 * TEXT of its standard input is answered once every client that reads has an event with that text, with what has
 * arrived since: one list for each client.
 */
const spec: WatchSpec = JSON.parse(Bun.argv[2] ?? "");
const { token, url, socket, sessions } = spec;
const readers = spec.stalled ? sessions.length - 1 : sessions.length;
const heard = sessions.map((): Arrival[] => []);
let wanted:
  | { readonly text: string; readonly waitingReaders: Set<number>; readonly done: () => void }
  | undefined;

await inLanes(readers, (at) => (spec.wire === "ws" ? openSocket : openStream)(at, sessions[at] ?? ""));
if (spec.stalled) await openStalled(sessions.at(-1) ?? "");
tell(true);

for await (const text of createInterface({ input: process.stdin })) {
  const waitingReaders = new Set(
    heard.slice(0, readers).flatMap((arrivals, at) => (has(arrivals, text) ? [] : [at])),
  );
  if (waitingReaders.size > 0) await new Promise<void>((done) => (wanted = { text, waitingReaders, done }));
  tell(heard.map((arrivals) => arrivals.splice(0)));
}

function has(arrivals: readonly Arrival[], text: string): boolean {
  return arrivals.some((each) => each.text.includes(text));
}

/** Twenty connect at a time. */
async function inLanes(count: number, work: (at: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: 20 }, lane));
}

function took(at: number, message: string): void {
  const atNs = nowNs();
  const id = Number(/"id":(\d+)/.exec(message)?.[1] ?? 0);
  const text =
    /"text":"((?:[^"\\]|\\.)*)"/.exec(message)?.[1] ?? /"kind":"([A-Z]\w+)"/.exec(message)?.[1] ?? "";
  heard[at]?.push({ id, atNs, text });
  if (wanted === undefined || !text.includes(wanted.text)) return;
  wanted.waitingReaders.delete(at);
  if (wanted.waitingReaders.size > 0) return;
  wanted.done();
  wanted = undefined;
}

function openSocket(at: number, session: string): Promise<void> {
  const address = `${url.replace("http:", "ws:")}/v1/ws?session=${session}`;
  const ws = new WebSocket(address, ["cinch.v1", `cinch.token.${token}`]);
  const body = { protocol_version: PROTOCOL_VERSION, label: "bench" };
  ws.onopen = () => ws.send(JSON.stringify({ frame: "handshake", id: 0, body }));
  return new Promise((resolve, reject) => {
    ws.onmessage = ({ data }) => {
      const message = String(data);
      if (message.startsWith('{"frame":"event"')) took(at, message);
      else resolve();
    };
    ws.onclose = ({ reason }) => reject(new Error(`a WebSocket was closed: ${reason}`));
  });
}

async function openStream(at: number, session: string): Promise<void> {
  const isUnix = spec.wire === "sse-unix";
  const answer = await fetch(`${isUnix ? "http://localhost" : url}/v1/sessions/${session}/events`, {
    headers: { "x-harness-token": token, "x-harness-version": PROTOCOL_VERSION },
    ...(isUnix ? { unix: socket } : {}),
  });
  if (answer.body === null || answer.status !== 200)
    throw new Error(`${answer.status} ${await answer.text()}`);
  void read(at, answer.body);
}

async function read(at: number, body: ReadableStream<Uint8Array>): Promise<void> {
  for await (const line of linesOf(body)) if (line.startsWith("data:")) took(at, line);
}

/** Asks for the events, and never reads one. */
function openStalled(session: string): Promise<void> {
  const { port, host } = new URL(url);
  const stuck = connect({ host: "127.0.0.1", port: Number(port) });
  stuck.write(
    `GET /v1/sessions/${session}/events HTTP/1.1\r\nhost: ${host}\r\nx-harness-version: ${PROTOCOL_VERSION}\r\nx-harness-token: ${token}\r\n\r\n`,
  );
  return new Promise((resolve, reject) => {
    stuck.once("data", () => {
      stuck.pause();
      resolve();
    });
    stuck.once("error", reject);
  });
}

function tell(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}
