import { PROTOCOL_VERSION } from "../src/protocol/version.ts";
import { BENCH_MODEL as model, openBenchHarness } from "./bench-harness.ts";
import { treePssBytes } from "./processes.ts";

/**
 * An engine of its own with many idle sessions, which prints its memory as JSON.
 *
 *     bun bench/engine.ts SESSIONS
 */
const sessions = Number(Bun.argv[2]);

await using harness = await openBenchHarness();
const connection = await harness.attach({ identityClass: "human", label: "bench" });
await connection.handshake(PROTOCOL_VERSION);
const idleBytes = settledBytes();
for (let at = 0; at < sessions; at++)
  await connection.send({ kind: "CreateSession", profile: "default", model });
const bytesPerSession = (settledBytes() - idleBytes) / sessions;
console.log(JSON.stringify({ idleBytes, bytesPerSession }));

function settledBytes(): number {
  Bun.gc(true);
  return treePssBytes(process.pid);
}
