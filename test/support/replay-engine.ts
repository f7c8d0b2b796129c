import { HarnessError } from "../../src/base/errors.ts";
import type { ClientId, SessionId } from "../../src/base/ids.ts";
import type { World } from "../../src/base/world.ts";
import type { Envelope } from "../../src/protocol/events/envelope.ts";
import type { QueryKind } from "../../src/protocol/kinds.ts";
import { COMMAND_KINDS, EVENT_KINDS } from "../../src/protocol/kinds.ts";
import type { QueryOf, ResultOf } from "../../src/protocol/queries/queries.ts";
import type { SessionInfo } from "../../src/protocol/resources.ts";
import { PROTOCOL_VERSION } from "../../src/protocol/version.ts";
import { UploadMemory } from "../../src/server/hub/upload-memory.ts";
import { answerHandshake } from "../../src/session/access/handshake.ts";
import type { EnginePort, ServedConnection } from "../../src/session/engine-port.ts";
import { openSubscription } from "../../src/view/follow.ts";
import { FakeConnection } from "./fake-connection.ts";

/** An engine that plays recorded turns: the text of an input names the turn that follows. */
export interface ReplayEngine extends EnginePort {
  readonly session: SessionId;
}

export function replayEngine(
  world: Pick<World, "ids">,
  turns: ReadonlyMap<string, readonly Envelope[]>,
): ReplayEngine {
  const session = world.ids.next("sess");
  const log = new FakeConnection();
  const served = { commands: COMMAND_KINDS, events: EVENT_KINDS, features: [] };
  let turn = 0;
  let events = 0;

  function play(name: string, originator: ClientId): void {
    const recorded = turns.get(name);
    if (recorded === undefined)
      throw new HarnessError("InternalError", { what: `there is no turn '${name}'` });
    turn += 1;
    events += recorded.length;
    for (const event of recorded) {
      const { parentCall, kind } = event;
      const payload: Record<string, unknown> = { ...(event.payload as object) };
      if ("turn" in payload) payload["turn"] = turn;
      if ("originator" in payload) payload["originator"] = originator;
      const frame = { session, originator, ...(parentCall === undefined ? {} : { parentCall }) };
      log.publish({ kind, payload } as Parameters<FakeConnection["publish"]>[0], frame);
    }
  }

  function attach({ identityClass }: Parameters<EnginePort["attach"]>[0]): ServedConnection {
    const clientId = world.ids.next("cli");
    return {
      clientId,
      identityClass,
      handshake: async (version) => answerHandshake(version, served),
      async send(command) {
        if (command.kind === "CreateSession") return { sessionId: session };
        if (command.kind !== "SendInput") return {};
        const [block] = command.content;
        play(block?.type === "text" ? block.text : "", clientId);
        return {};
      },
      attach: () => Promise.reject(new HarnessError("EngineStopping", {})),
      holdUpload: () => new UploadMemory().hold(),
      query,
      subscribe: (id, options) => openSubscription(log.subscribe(id, options)),
      async *news() {},
      async *newsInBatches() {},
      over() {
        return this;
      },
      [Symbol.asyncDispose]: async () => undefined,
    };
  }

  const info = (): SessionInfo => ({
    session,
    log: world.ids.next("log"),
    status: "running",
    live: true,
    state: "idle",
    cost_usd: 0,
    input_tokens: 0,
    output_tokens: 0,
    cache_read_tokens: 0,
    cache_write_tokens: 0,
    questions: 0,
    queued: 0,
    title: "",
    profile: "test",
    model: "scripted:one",
    turns: turn,
    events,
    created_at: "",
    updated_at: "",
    working_dir: "/",
    pinned: false,
  });
  /** Answers what clients ask before a turn; the rest nobody asks for here. */
  async function query<Kind extends QueryKind>({ kind }: QueryOf<Kind>): Promise<ResultOf<Kind>> {
    const answers: Partial<Record<QueryKind, unknown>> = {
      GetSession: { ...info(), last_events: [] },
      ListSlashCommands: { slash_commands: [] },
      GetRuntime: { version: "0.0.0", protocol_version: PROTOCOL_VERSION, engine: "replay" },
      GetHealth: { status: "ok" },
    };
    if (answers[kind] === undefined)
      throw new HarnessError("InternalError", { what: `nobody answers ${kind}` });
    return answers[kind] as ResultOf<Kind>;
  }

  async function* nothing(): AsyncGenerator<Envelope> {}

  return { session, served, attach, query, log: nothing, engineId: "replay" };
}
