import { join } from "node:path";
import { openHarness } from "../src/app/harness.ts";
import { hostWorld } from "../src/platform/host.ts";
import { PROTOCOL_VERSION } from "../src/protocol/version.ts";
import { treePssBytes } from "./processes.ts";

/**
 * An engine of its own with many idle sessions, which prints its memory as JSON.
 *
 *     bun bench/engine.ts SESSIONS
 */
const model = "bench:bench-model";
const sessions = Number(Bun.argv[2]);
const home = process.env["HOME"] ?? "";
const silent = { for: () => silent, write: () => undefined };
const { signal } = new AbortController();

await using harness = await openHarness(
  {
    world: hostWorld(silent),
    paths: {
      config: join(home, ".config/cinch"),
      data: join(home, ".local/share/cinch"),
      state: join(home, ".local/state/cinch"),
    },
    workingDir: process.cwd(),
    model,
    autoApprove: false,
    strictPermissions: false,
    attended: false,
    environment: { HOME: home, PATH: "/usr/bin:/bin" },
  },
  signal,
);
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
