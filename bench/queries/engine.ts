import { createInterface } from "node:readline";
import { openHarness } from "../../src/app/harness.ts";
import { openControlPlane } from "../../src/app/serving/control-plane.ts";
import type { LogId } from "../../src/base/ids.ts";
import type { Query } from "../../src/protocol/queries/queries.ts";
import { PROTOCOL_VERSION } from "../../src/protocol/version.ts";
import { benchOptions } from "../bench-harness.ts";

/**
 * An engine in the home of the process. Prints the address of its server, its token and its first session, then
 * answers each line:
 *
 *     {"resume": LOG}              runs a stored session again; its id
 *     {"query": {…}, "runs": N}    milliseconds of the query in this process, one after the other
 *     {"query": {…}}               the answer
 *     {"longest": true}            the longest wait of other work in this process, since the last such line
 *     {"leave": true}              deletes its own first session, so that the store stays as it was
 */
interface Asked {
  readonly resume?: LogId;
  readonly query?: Query;
  readonly runs?: number;
  readonly leave?: true;
  readonly longest?: true;
}

/** A slow query is asked less often. */
const RUNS_MS_MAX = 4_000;
const RUNS_MIN = 3;

await using plane = await openControlPlane(
  { ...benchOptions(), targets: [{ kind: "loopback", hostname: "127.0.0.1", port: 0 }] },
  openHarness,
  new AbortController().signal,
);
const connection = await plane.harness.attach({ identityClass: "human", label: "bench" });
await connection.handshake(PROTOCOL_VERSION);
const token = plane.authority.mint({ identityClass: "human" }, "engine");
const url = plane.addresses.find((address) => address.startsWith("http://127.0.0.1"));
tell({ url, token, session: plane.harness.session });

let [longestMs, lastMs] = [0, 0];
let isWatched = false;

for await (const line of createInterface({ input: process.stdin })) tell(await answer(JSON.parse(line)));

async function answer({ resume, query, runs, leave, longest }: Asked): Promise<unknown> {
  if (leave === true) return await left();
  if (longest === true) return longestSince();
  if (resume !== undefined) return (await connection.send({ kind: "CreateSession", resume })).sessionId;
  if (query === undefined) throw new Error("a line asks for something");
  return runs === undefined ? await connection.query(query) : await times(query, runs);
}

async function left(): Promise<true> {
  const sessionId = plane.harness.session;
  await connection.send({ kind: "EndSession", sessionId });
  await connection.send({ kind: "DeleteSession", sessionId });
  return true;
}

function note(): void {
  const nowMs = performance.now();
  longestMs = Math.max(longestMs, nowMs - lastMs - 1);
  lastMs = nowMs;
}

function longestSince(): number {
  const ms = longestMs;
  if (!isWatched) setInterval(note, 1);
  isWatched = true;
  [longestMs, lastMs] = [0, performance.now()];
  return ms;
}

async function times(query: Query, runs: number): Promise<readonly number[]> {
  const ms: number[] = [];
  const endMs = performance.now() + RUNS_MS_MAX;
  while (ms.length < runs && (ms.length < RUNS_MIN || performance.now() < endMs)) {
    const startMs = performance.now();
    await connection.query(query);
    ms.push(performance.now() - startMs);
    if (runs === 1) break;
  }
  return ms;
}

function tell(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}
