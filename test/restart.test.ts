import { expect, test } from "bun:test";
import { join } from "node:path";
import type { SessionId } from "../src/base/ids.ts";
import { connectRemote } from "../src/client/remote/connect-remote.ts";
import type { Envelope } from "../src/protocol/events/envelope.ts";
import { PROTOCOL_VERSION } from "../src/protocol/version.ts";
import { portToComeBackTo } from "./support/ports.ts";
import { temporaryDirectory } from "./support/world.ts";
import { remoteParts } from "./support/ws-rig.ts";

interface Started {
  readonly url: string;
  readonly port: number;
  readonly session: SessionId;
  readonly token: string;
}

async function start(folder: string, port: number, life: number) {
  const child = Bun.spawn(
    [process.execPath, join(import.meta.dir, "support", "ws-engine-child.ts"), folder, `${port}`, `${life}`],
    { stdout: "pipe", stderr: "inherit", cwd: folder },
  );
  const reader = child.stdout.getReader();
  let line = "";
  while (!line.includes("\n")) {
    const { done, value } = await reader.read();
    if (done) throw new Error("the engine did not start");
    line += new TextDecoder().decode(value);
  }
  return {
    child,
    ...(JSON.parse(line) as Started),
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}

test("[CTL-03 REL-07] an engine that is killed and restarted continues with its session, and no event is lost", async () => {
  await using place = temporaryDirectory();
  const first = await start(place.path, portToComeBackTo(), 1);
  const { url, port, session, token } = first;
  await using open = new AsyncDisposableStack();
  open.use(first);
  const resumed: string[] = [];
  const states: string[] = [];
  const connection = await connectRemote(
    {
      ...remoteParts(url),
      token: () => token,
      onState: ({ kind }) => states.push(kind),
      onResumed: (from, to) => resumed.push(from, to),
    },
    new AbortController().signal,
  );
  open.use(connection);
  await connection.handshake(PROTOCOL_VERSION);
  const seen: Envelope[] = [];
  let notes = 0;
  const { signal } = new AbortController();
  for await (const event of connection.subscribe(session, { since: 0, signal })) {
    seen.push(event);
    if (event.kind === "TurnEnded") break;
    if (event.kind !== "CustomEvent") continue;
    notes += 1;
    if (notes === 300) {
      first.child.kill("SIGKILL");
      await first.child.exited;
      open.use(await start(place.path, port, 2));
    }
    if (Reflect.get(Object(event.payload.payload), "number") === 1_000_099) {
      // Under the id that this client has always known.
      await connection.send({
        kind: "SendInput",
        sessionId: session,
        content: [{ type: "text", text: "still there?" }],
      });
    }
  }
  expect(seen.map(({ id }) => id)).toEqual(seen.map((_, at) => at + 1));
  expect(seen.at(-1)).toMatchObject({ kind: "TurnEnded", payload: { reason: "complete" } });
  const turn = seen.findLast(({ kind }) => kind === "TurnStarted");
  // All sockets of this client come back as one client: what it sends is its own.
  expect(turn?.originator).toBe(connection.clientId);
  expect(resumed).toEqual([session, connection.runOf(session)]);
  expect(connection.runOf(session)).not.toBe(session);
  expect(states).toContain("connected");
}, 300_000);
