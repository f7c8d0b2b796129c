import { heapStats } from "bun:jsc";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { openHarness } from "../src/app/harness.ts";
import { PROGRAM_FEATURES } from "../src/app/plan/feature-set.ts";
import { openControlPlane } from "../src/app/serving/control-plane.ts";
import type { SessionId } from "../src/base/ids.ts";
import { hostWorld } from "../src/platform/host.ts";
import { PROTOCOL_VERSION } from "../src/protocol/version.ts";
import { nowNs, treePssBytes } from "./processes.ts";

/**
 * An engine that is served on a Unix socket and a port of this machine, and answers each line of its standard input
 * with one line of JSON:
 *
 *     create N        N sessions; their ids
 *     send SESSION    an input to one
 *     turn SESSION    an input to one; answered when its turn has ended
 *     watch SESSION   from now on, notes when an event of it can be read
 *     noted           what was noted: [id, nanoseconds] of each event
 *     memory          bytes of this process
 *     heap            bytes of its objects that are in use
 */
const home = process.env["HOME"] ?? "";
const silent = { for: () => silent, write: () => undefined };
const { signal } = new AbortController();
const model = "bench:bench-model";
await using plane = await openControlPlane(
  {
    world: hostWorld(silent),
    paths: {
      config: join(home, ".config/cinch"),
      data: join(home, ".local/share/cinch"),
      state: join(home, ".local/state/cinch"),
    },
    workingDir: process.cwd(),
    model,
    features: PROGRAM_FEATURES,
    wishes: {
      autoApprove: false,
      strictPermissions: false,
      attended: true,
      environment: { HOME: home, PATH: "/usr/bin:/bin" },
    },
    targets: [
      { kind: "unix", path: join(home, "control.sock") },
      { kind: "loopback", hostname: "127.0.0.1", port: 0 },
    ],
  },
  openHarness,
  signal,
);
const connection = await plane.harness.attach({ identityClass: "human", label: "bench" });
await connection.handshake(PROTOCOL_VERSION);
const token = plane.authority.mint({ identityClass: "human" }, "engine");
const url = plane.addresses.find((address) => address.startsWith("http://127.0.0.1"));
/** One subscription of each session that has turns. */
const read = new Map<SessionId, AsyncIterator<{ readonly kind: string }>>();
const noted: (readonly [id: number, atNs: number])[] = [];
tell({ url, socket: join(home, "control.sock"), token });

for await (const line of createInterface({ input: process.stdin })) {
  const [verb = "", rest = ""] = line.split(" ");
  if (verb === "create") tell(await Promise.all(Array.from({ length: Number(rest) }, created)));
  else if (verb === "send") tell(await send(rest as SessionId));
  else if (verb === "turn") tell(await turn(rest as SessionId));
  else if (verb === "watch") tell(watch(rest as SessionId));
  else if (verb === "noted") tell(noted.splice(0));
  else if (verb === "memory") {
    Bun.gc(true);
    tell(treePssBytes(process.pid));
  } else if (verb === "heap") {
    Bun.gc(true);
    tell(heapStats().heapSize);
  }
}

async function created(): Promise<SessionId> {
  const { sessionId } = await connection.send({ kind: "CreateSession", profile: "default", model });
  if (sessionId === undefined) throw new Error("a session that was created has an id");
  return sessionId;
}

async function send(sessionId: SessionId): Promise<true> {
  await connection.send({ kind: "SendInput", sessionId, content: [{ type: "text", text: "go" }] });
  return true;
}

async function turn(sessionId: SessionId): Promise<true> {
  const events = read.get(sessionId) ?? connection.subscribe(sessionId, { signal })[Symbol.asyncIterator]();
  read.set(sessionId, events);
  await send(sessionId);
  for (let next = await events.next(); next.value?.kind !== "TurnEnded"; next = await events.next())
    if (next.done === true) throw new Error("the session ended");
  return true;
}

function watch(session: SessionId): true {
  void note(connection.subscribe(session, { signal }));
  return true;
}

async function note(events: AsyncIterable<{ readonly id: number }>): Promise<void> {
  for await (const { id } of events) noted.push([id, nowNs()]);
}

function tell(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}
