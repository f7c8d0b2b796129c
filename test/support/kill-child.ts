import { writeSync } from "node:fs";
import { join } from "node:path";
import { FEATURES } from "../../src/app/features.ts";
import { resumeLog } from "../../src/app/log/resume.ts";
import { composeSession } from "../../src/app/session/chains/compose-session.ts";
import { SessionCore } from "../../src/app/session/chains/session-core.ts";
import type { EventSeq, LogId, SessionId } from "../../src/base/ids.ts";
import { canonicalJson } from "../../src/base/json.ts";
import { SILENT_LOG } from "../../src/base/log.ts";
import { TurnLimits } from "../../src/engine/loop/turn-limits.ts";
import { hostWorld } from "../../src/platform/host.ts";
import type { Connection } from "../../src/protocol/connection.ts";
import { COMMAND_KINDS, EVENT_KINDS } from "../../src/protocol/kinds.ts";
import { CANONICAL_FORM_VERSION, PROTOCOL_VERSION } from "../../src/protocol/version.ts";
import type { ModelEvent, Provider } from "../../src/providers/provider.ts";
import { redactor } from "../../src/safety/redact.ts";
import { connectInproc } from "../../src/server/hub/inproc.ts";
import { Multiplexer } from "../../src/server/hub/multiplexer.ts";
import { openSqliteStore } from "../../src/session/sqlite/open.ts";
import type { Session } from "../../src/session/turns/session.ts";
import { textOutput } from "../../src/tools/output.ts";
import { ToolRegistry } from "../../src/tools/registry.ts";
import type { Tool } from "../../src/tools/tool.ts";
import { LOG_KEY } from "./store-rig.ts";
import { checkValid } from "./valid-history.ts";

/**
 * An engine in a process of its own that works until it is killed: `kill-child.ts <folder> <cursor>`. It goes on with
 * the log that it finds there, and tells on standard output what a client was told: what was accepted, each event, the
 * first one for a client that goes on after the cursor, what it found wrong.
 */
const [folder = "", cursor = "0"] = process.argv.slice(2);
const CALLS_MAX = 3;
const PIECES = 4;
const PAUSE_MS_MAX = 40;

const world = hostWorld(SILENT_LOG);
const store = await openSqliteStore({ path: join(folder, "sessions.db"), world, logKey: LOG_KEY });
/** Opens the session and sends one input after another, until it is killed. */
async function live(): Promise<void> {
  const session = await openSession();
  const multiplexer = new Multiplexer({ world, store, openSession: () => Promise.resolve({ session }) });
  multiplexer.add(session);
  const served = { commands: COMMAND_KINDS, events: EVENT_KINDS, features: [] };
  const connection = connectInproc(multiplexer, { identityClass: "human", label: "kill rig" }, served);
  await connection.handshake(PROTOCOL_VERSION);
  let ended = Promise.withResolvers<void>();
  void follow(connection, session.id, () => ended.resolve());
  void goOn(connection, session.id, Number(cursor));
  while (true) {
    ended = Promise.withResolvers<void>();
    const text = `input ${world.ids.next("inp")}`;
    await connection.send({ kind: "SendInput", sessionId: session.id, content: [{ type: "text", text }] });
    tell(`accepted ${text}`);
    await ended.promise;
  }
}

async function follow(connection: Connection, session: SessionId, onTurnEnd: () => void): Promise<void> {
  const { signal } = new AbortController();
  let begun = 0; // a turn that an earlier process began is ended by this one
  for await (const event of connection.subscribe(session, { since: 0, signal })) {
    tell(`event ${event.id} ${event.kind}:${Bun.hash(canonicalJson(event)).toString(36)}`);
    if (event.kind === "TurnStarted" && event.session === session) begun = event.payload.turn;
    if (event.kind === "TurnEnded" && event.payload.turn === begun) onTurnEnd();
  }
}

/** Tells the first event after one that an earlier engine showed, and where what it stands for begins. */
async function goOn(connection: Connection, session: SessionId, since: EventSeq): Promise<void> {
  const { signal } = new AbortController();
  for await (const event of connection.subscribe(session, { since, signal })) {
    const from = event.kind === "StreamGap" ? event.payload.from : event.id;
    return tell(`first ${since} ${from} ${event.id}`);
  }
}

async function openSession(): Promise<Session> {
  const [known] = await store.list({ limit: 1 });
  const logId: LogId = known?.logId ?? world.ids.next("log");
  const id = world.ids.next("sess");
  const createdAt = new Date(world.clock.now()).toISOString();
  const start = { logId, session: id, workingDir: folder, profile: "kill", model: "kill:1", createdAt };
  const writer =
    known === undefined
      ? await store.create(start, world.machine)
      : await store.open(logId, id, world.machine);
  const resumed =
    known === undefined
      ? { history: [], recovered: [], lastTurn: 0 }
      : await resumeLog(store, logId, FEATURES);
  const registry = new ToolRegistry();
  registry.add({ name: "kill", tools: () => [look, change] });
  const core = new SessionCore({
    ...{ world, session: id, logId, store, writer },
    redactor: redactor([]),
    attended: false,
    permissionTimeoutMs: 1_000,
  });
  const session = composeSession({
    tools: () => [],
    world,
    core,
    session: id,
    logId,
    store,
    ...resumed,
    registry,
    workspace: { root: folder, cwd: folder, seen: new Map(), env: {}, scratch: folder },
    around: [],
    guard: "vouched",
    model: () => ({ provider, id: "1", outputTokensMax: 100 }),
    setModel: () => Promise.resolve([]),
    chosenEffort: () => undefined,
    setLevel: () => ({ changed: false, notices: [] }),
    revokeRule: () => false,
    promoteRule: async () => undefined,
    roundsMax: 50,
    limits: new TurnLimits({ clock: world.clock, limits: () => ({ roundsMax: 50 }) }),
    orphans: { kind: "failed" }, // what an earlier process left open is settled, and nothing waits
    settle: () => Promise.resolve(),
    close: async () => await writer[Symbol.asyncDispose](),
  });
  return session;
}

const provider: Provider = {
  name: "kill",
  family: "kill",
  canonicalFormVersion: CANONICAL_FORM_VERSION,
  async *chat({ messages }) {
    for (const problem of checkValid(messages)) tell(`wrong ${problem}`);
    const last = messages.at(-1)?.content.at(-1);
    const calls = last?.type === "text" ? 1 + Math.floor(Math.random() * CALLS_MAX) : 0;
    let text = "";
    for (let piece = 0; piece < PIECES; piece++) {
      await Bun.sleep(Math.random() ** 4 * PAUSE_MS_MAX); // now and then the next piece is shown by itself
      const word = `word ${world.random.number()} `;
      text += word;
      yield { kind: "text", index: 0, text: word };
    }
    yield* blocks(calls, text);
  },
  models: () => Promise.resolve([]),
  tokenCount: () => Promise.resolve(1),
};

function* blocks(calls: number, text: string): Generator<ModelEvent> {
  yield { kind: "block", index: 0, block: { type: "text", text } };
  for (let call = 1; call <= calls; call++) {
    const name = Math.random() < 0.7 ? "Change" : "Look";
    yield { kind: "block", index: call, block: { type: "tool_use", name, input: {} } };
  }
  const reason = calls > 0 ? "tool_use" : "stop";
  yield { kind: "finish", reason, raw: reason };
}

const look: Tool = tool("Look", false, async () => undefined);
/** A line of its own for each time that it runs: what it did is never taken back. */
const change: Tool = tool("Change", true, async (callId) => {
  await world.files.append(join(folder, "witness"), `${callId}\n`);
});

function tool(name: string, mutating: boolean, act: (callId: string) => Promise<void>): Tool {
  return {
    name,
    description: name,
    inputSchema: { type: "object" },
    mutating,
    level: "WorkspaceWrite",
    plan: async () => ({ summary: name, target: { kind: "none" } }),
    async run(_plan, { callId }) {
      await Bun.sleep(Math.random() * 2);
      await act(callId);
      await Bun.sleep(Math.random() * 2);
      return textOutput("done");
    },
  };
}

/** In one write, so that a line is there whole or not at all. */
function tell(line: string): void {
  writeSync(1, `${line}\n`);
}

await live();
