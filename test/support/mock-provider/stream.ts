import type { Connection } from "./connection.ts";
import type { Fault, Turn } from "./turn.ts";
import type { Ask, Wire } from "./wire.ts";

const STREAM_HEADERS = { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" };

/** Streams one turn over a connection, with its fault where it has one. `stalled` is told when nothing more comes. */
export async function streamTurn(
  connection: Connection,
  wire: Wire,
  { turn, ask, stalled }: { readonly turn: Turn; readonly ask: Ask; readonly stalled: () => void },
): Promise<void> {
  const { fault } = turn;
  const stall = async () => {
    stalled();
    await gone(connection);
  };
  if (isStall(fault, "headers")) return await stall();
  await connection.startStream(STREAM_HEADERS);
  if (isStall(fault, "first-byte")) return await stall();

  const budget = fault?.kind === "cut" ? fault.atByte : Number.POSITIVE_INFINITY;
  let sent = 0;
  let number = 0;
  const [...events] = wire.events(turn, ask);
  for (const text of withFault(events, wire, fault)) {
    if (connection.closed.aborted) return;
    const event = Buffer.from(text);
    const isHalf = number === Math.ceil(events.length / 2);
    if (isHalf && turn.hold !== undefined) await Promise.race([turn.hold, gone(connection)]);
    if (isStall(fault, "mid-event") && isHalf) {
      await connection.chunk(event.subarray(0, Math.ceil(event.length / 2)));
      return await stall();
    }
    const allowed = event.subarray(0, Math.max(budget - sent, 0));
    for (const bytes of slices(allowed, turn.chunkBytes)) await connection.chunk(bytes);
    sent += event.length;
    if (sent >= budget) return connection.hangUp();
    if (turn.paceMs !== undefined) await Bun.sleep(turn.paceMs);
    number += 1;
  }
  if (fault?.kind === "endless") return await endless(connection, wire, turn, ask);
  if (isStall(fault, "end")) return await stall();
  await connection.endStream();
}

function* withFault(events: readonly string[], wire: Wire, fault: Fault | undefined): Generator<string> {
  if (fault?.kind === "huge-line") yield `: ${"x".repeat(fault.bytes)}\n\n`;
  if (fault?.kind === "garbage") {
    yield* events.slice(0, fault.afterEvents);
    yield fault.text;
    yield* events.slice(fault.afterEvents);
  } else if (fault?.kind === "error-event") {
    yield* events.slice(0, fault.afterEvents);
    yield wire.errorEvent(fault.type, fault.message, fault.status ?? 500);
  } else if (fault?.kind === "endless") {
    yield* events.slice(0, Math.ceil(events.length / 2));
  } else yield* events;
}

async function endless(connection: Connection, wire: Wire, turn: Turn, ask: Ask): Promise<void> {
  const event = Buffer.from(wire.more("and on ", ask));
  while (!connection.closed.aborted) {
    await connection.chunk(event);
    await Bun.sleep(turn.paceMs ?? 0); // lets the client's close be seen
  }
}

function* slices(bytes: Uint8Array, size: number | undefined): Generator<Uint8Array> {
  if (size === undefined) yield bytes;
  else for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

function isStall(fault: Fault | undefined, at: string): boolean {
  return fault?.kind === "stall" && fault.at === at;
}

function gone({ closed }: Connection): Promise<void> {
  if (closed.aborted) return Promise.resolve();
  return new Promise((resolve) => closed.addEventListener("abort", () => resolve(), { once: true }));
}
