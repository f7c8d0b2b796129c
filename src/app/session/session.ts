import { assert } from "../../base/assert.ts";
import { CacheBudget } from "../../base/cache-budget.ts";
import type { LogId, SessionId } from "../../base/ids.ts";
import type { World } from "../../base/world.ts";
import { Bus } from "../../engine/bus/bus.ts";
import { Redaction, redactOutput } from "../../engine/bus/redaction.ts";
import { Conversation } from "../../engine/loop/conversation.ts";
import type { DispatcherParts } from "../../engine/loop/dispatch.ts";
import { Dispatcher } from "../../engine/loop/dispatch.ts";
import { ledger } from "../../engine/loop/ledger.ts";
import type { EngineParts } from "../../engine/loop/turn.ts";
import { TurnLimits } from "../../engine/loop/turn-limits.ts";
import type { SpawnParts } from "../../engine/spawn.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import type { Event } from "../../protocol/events/events.ts";
import type { Message } from "../../protocol/message.ts";
import type { ModelInUse } from "../../providers/choosing/model-in-use.ts";
import type { RequestMiddleware } from "../../providers/middleware.ts";
import type { Redactor } from "../../safety/redact.ts";
import { redactor } from "../../safety/redact.ts";
import type { Unfinished } from "../../session/history/unfinished.ts";
import { validHistory } from "../../session/history/valid-history.ts";
import type { QueryHandlers, SessionCommands } from "../../session/query-handlers.ts";
import { Questions } from "../../session/questions/questions.ts";
import type { SessionStore, SessionWriter } from "../../session/store/store.ts";
import { Session } from "../../session/turns/session.ts";
import type { SessionParts } from "../../session/turns/session-parts.ts";
import { catchFailures } from "../../tools/chain/catch.ts";
import type { RememberedAnswer } from "../../tools/chain/memoise.ts";
import { memoise } from "../../tools/chain/memoise.ts";
import { timeLimit } from "../../tools/chain/time-limit.ts";
import { truncateAndSpill } from "../../tools/chain/truncate.ts";
import { validate } from "../../tools/chain/validate.ts";
import type { ToolHandler, ToolMiddleware } from "../../tools/middleware.ts";
import { chainTool } from "../../tools/middleware.ts";
import type { ToolRegistry } from "../../tools/registry.ts";
import type { Workspace } from "../../tools/tool.ts";
import { callLog } from "./call-log.ts";

/** Every event from now on, once it is in the log. */
type Follow = (signal: AbortSignal) => AsyncIterable<Envelope>;

/** What one session is made of, whoever composes it: the command line's harness or the library façade. */
export interface SessionMaterial {
  readonly world: World;
  /** What all caches of the engine share; absent: it has an engine of its own. */
  readonly caches?: CacheBudget;
  readonly session: SessionId;
  readonly logId: LogId;
  readonly store: SessionStore;
  readonly writer: SessionWriter;
  readonly history: readonly Message[];
  /** The end of `history` that is not among the stored messages yet. */
  readonly recovered?: readonly Message[];
  readonly lastTurn: number;
  readonly unfinished?: Unfinished;
  readonly orphans?: NonNullable<SessionParts["orphans"]>;
  readonly waiting?: NonNullable<SessionParts["waiting"]>;
  readonly idleTimeoutMs?: number;
  readonly pinned?: boolean;
  readonly tasksRunning?: () => number;
  /** The tools, which may tell of things that happen while no call is under way. */
  readonly tools: (publish: (event: Event) => void) => ToolRegistry;
  readonly workspace: Workspace;
  /** Absent: calls of one answer run one after the other. */
  readonly mayRunBeside?: NonNullable<DispatcherParts["mayRunBeside"]>;
  /** Stands outermost: what watches every call, the invalid ones too. */
  readonly telemetry: readonly ToolMiddleware[];
  /** Stands between validation and the call: hooks, plan mode, permission. Gets the questions of the session. */
  readonly gate: (questions: Questions) => readonly ToolMiddleware[];
  /** Stands between memoisation and the ledger: what keeps files before they are changed. */
  readonly checkpoint?: readonly ToolMiddleware[];
  /** Stands between the ledger and the time limit: what confines commands. */
  readonly sandbox?: (questions: Questions) => readonly ToolMiddleware[];
  /** Stands right around the tool: what may leave it. */
  readonly inner: readonly ToolMiddleware[];
  readonly requestMiddleware: readonly RequestMiddleware[];
  /** Asked anew for each round. */
  readonly model: () => ModelInUse;
  readonly setModel: SessionParts["setModel"];
  readonly revokeRule: (rule: string) => boolean;
  readonly promoteRule: SessionParts["promoteRule"];
  readonly roundsMax: number;
  /** For a turn with its sub-agents; absent: `roundsMax` holds for both, and no time limit. */
  readonly limits?: TurnLimits;
  readonly attended: boolean;
  /** Whether a question is put, too, while a person follows; without one it is answered by nobody. */
  readonly attendedByFollowers?: boolean;
  readonly permissionTimeoutMs: number;
  /** Takes secrets out of everything that is stored, shown or sent; absent: one that knows no keys. */
  readonly redactor?: Redactor;
  readonly onBlock?: EngineParts["onBlock"];
  /** Told of each call that waits for a person's permission. */
  readonly onAsked?: (session: SessionId, tool: string) => void;
  /** Given the questions of the session, for what asks outside of a call. */
  readonly onQuestions?: (questions: Questions, follow: Follow) => void;
  /** Told each time a client begins to follow: from then on a question is seen. */
  readonly onFollowed?: () => void;
  /** Hooks with a prompt and at the end of a turn. */
  readonly onInput?: NonNullable<SessionParts["onInput"]>;
  readonly takes?: NonNullable<SessionParts["takes"]>;
  readonly commands?: SessionCommands;
  readonly queries?: QueryHandlers;
  readonly ownerOf?: NonNullable<SessionParts["ownerOf"]>;
  readonly onTurnEnd?: NonNullable<SessionParts["onTurnEnd"]>;
  readonly rewind?: NonNullable<SessionParts["rewind"]>;
  /** Given what sub-agents share with the session. */
  readonly onEngine?: (parts: SpawnParts) => void;
  /** Ends what the session still runs, while its events can still be told. */
  readonly settle: () => Promise<void>;
  /** Frees the rest, after the last event. */
  readonly close: () => Promise<void>;
}

/** Puts a session together. The order of the middleware is normative: see `ToolMiddleware` and `RequestMiddleware`. */
export function composeSession(material: SessionMaterial): Session {
  const {
    world,
    session,
    logId,
    store,
    writer,
    workspace,
    onBlock,
    mayRunBeside,
    caches = new CacheBudget(),
  } = material;
  const { clock, ids } = world;
  const redaction = new Redaction(material.redactor ?? redactor([]));
  const bus = new Bus({ session, logId, store, writer, clock, redaction });
  for (const message of material.recovered ?? []) bus.remember(message, material.lastTurn);
  let opened: Session | undefined;
  const registry = material.tools((event) => {
    bus.publish(event);
    opened?.touch();
  });
  const questions = new Questions({
    clock,
    ids,
    get attended() {
      return material.attended || (material.attendedByFollowers === true && bus.people > 0);
    },
    timeoutMs: material.permissionTimeoutMs,
    lastEvent: () => bus.lastEvent,
    publish(event, originator) {
      bus.publish(event, originator === undefined ? {} : { originator });
      if (event.kind === "PermissionRequested") material.onAsked?.(session, event.payload.tool);
    },
  });
  material.onQuestions?.(questions, (signal) => bus.subscribe(undefined, signal));
  const answers = caches.open<RememberedAnswer>("tool answers");
  const handler = chainTool(
    [
      callLog,
      ...material.telemetry,
      validate(),
      ...material.gate(questions),
      memoise(answers),
      ...(material.checkpoint ?? []),
      ledger(bus, clock),
      ...(material.sandbox?.(questions) ?? []),
      timeLimit(),
      truncateAndSpill(),
      ...material.inner,
      redactOutput(redaction),
      catchFailures(),
    ],
    runTool,
  );
  const engine: EngineParts = {
    world,
    session,
    bus,
    conversation: new Conversation(bus, material.history, async () => {
      return validHistory((await store.messages(logId)).map(({ message }) => message));
    }),
    dispatcher: new Dispatcher({
      world,
      session,
      bus,
      registry,
      workspace,
      redaction,
      handler,
      ...(mayRunBeside === undefined ? {} : { mayRunBeside }),
    }),
    redaction,
    requestMiddleware: registry.isLate
      ? [declaringLate(registry), ...material.requestMiddleware]
      : material.requestMiddleware,
    tools: () => registry.declared(),
    model: material.model,
    roundsMax: material.roundsMax,
    limits: material.limits ?? new TurnLimits({ clock, roundsMax: material.roundsMax }),
    ...(onBlock === undefined ? {} : { onBlock }),
  };
  material.onEngine?.({ engine, registry, handler, requestMiddleware: material.requestMiddleware });
  const close = async () => {
    answers[Symbol.dispose]();
    await material.close();
  };
  opened = new Session({ ...material, caches, bus, questions, engine, close });
  return opened;
}

/** A request waits for the sources whose tools are to be declared in it. */
function declaringLate(registry: ToolRegistry): RequestMiddleware {
  return async function* lateTools(request, context, next) {
    await registry.ready(context.signal);
    yield* next({ ...request, tools: registry.declared() }, context);
  };
}

/** The end of the chain: exactly what was planned and judged is what runs (PERM-10). */
const runTool: ToolHandler = (call, context) => {
  assert(call.plan !== undefined, "a call is planned before it runs");
  return call.tool.run(call.plan, context);
};
