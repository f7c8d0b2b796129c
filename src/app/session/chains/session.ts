import { assert } from "../../../base/assert.ts";
import { CacheBudget } from "../../../base/cache-budget.ts";
import type { LogId, SessionId } from "../../../base/ids.ts";
import type { World } from "../../../base/world.ts";
import { redactOutput } from "../../../engine/bus/redaction.ts";
import { Conversation } from "../../../engine/loop/conversation.ts";
import type { DispatcherDependencies } from "../../../engine/loop/dispatch.ts";
import { Dispatcher } from "../../../engine/loop/dispatch.ts";
import { ledger } from "../../../engine/loop/ledger.ts";
import type { EngineDependencies } from "../../../engine/loop/turn.ts";
import type { TurnLimits } from "../../../engine/loop/turn-limits.ts";
import type { SpawnDependencies } from "../../../engine/spawn.ts";
import type { Message } from "../../../protocol/message.ts";
import type { ModelInUse } from "../../../providers/choosing/model-in-use.ts";
import type { RequestMiddleware } from "../../../providers/middleware.ts";
import type { Around } from "../../../session/feature.ts";
import { validHistory } from "../../../session/history/valid-history.ts";
import type { SessionStore } from "../../../session/store/store.ts";
import { Session } from "../../../session/turns/session.ts";
import type { SessionDependencies } from "../../../session/turns/session-dependencies.ts";
import { catchFailures } from "../../../tools/chain/catch-failures.ts";
import type { CachedResult } from "../../../tools/chain/memoise.ts";
import { memoise } from "../../../tools/chain/memoise.ts";
import { timeLimit } from "../../../tools/chain/time-limit.ts";
import { truncateAndSpill } from "../../../tools/chain/truncate.ts";
import { validate } from "../../../tools/chain/validate.ts";
import type { ToolHandler, ToolMiddleware } from "../../../tools/middleware.ts";
import { chainTool } from "../../../tools/middleware.ts";
import type { ToolRegistry } from "../../../tools/registry.ts";
import type { Workspace } from "../../../tools/tool.ts";
import { callLog } from "./call-log.ts";
import { requestMiddlewareAt, toolMiddlewareAt } from "./chains.ts";
import type { SessionCore } from "./session-core.ts";

/** Parts that one session is composed of. */
export interface SessionMaterial
  extends Pick<
    SessionDependencies,
    | "idleTimeoutMs"
    | "pinned"
    | "tasksRunning"
    | "setModel"
    | "revokeRule"
    | "promoteRule"
    | "onFollowed"
    | "onInput"
    | "takes"
    | "commands"
    | "queries"
    | "ownerOf"
    | "onTurnEnd"
    | "rewind"
    | "unfinished"
    | "orphans"
    | "waiting"
    | "settle"
    | "close"
  > {
  readonly world: World;
  readonly core: SessionCore;
  /** Memory that all caches of the engine share; default: a budget of its own. */
  readonly caches?: CacheBudget;
  readonly session: SessionId;
  readonly logId: LogId;
  readonly store: SessionStore;
  readonly history: readonly Message[];
  /** End of `history` that is not among the stored messages yet. */
  readonly recovered?: readonly Message[];
  readonly lastTurn: number;
  readonly registry: ToolRegistry;
  readonly workspace: Workspace;
  /** Absent: calls of one answer run one after the other. */
  readonly mayRunBeside?: NonNullable<DispatcherDependencies["mayRunBeside"]>;
  /** Middleware of the features, in their order. */
  readonly around: readonly Around[];
  /** Permission gate: after every guard. */
  readonly gate?: readonly ToolMiddleware[];
  /** Confines commands: between the ledger and the time limit. */
  readonly sandbox?: readonly ToolMiddleware[];
  /** Provider side of the request chain: cache breakpoints and retry, between "compact" and "spend". */
  readonly retrying: readonly RequestMiddleware[];
  /** Destroys expired content: between "spend" and "attempt". */
  readonly retention?: readonly RequestMiddleware[];
  /** Called for each round. */
  readonly model: () => ModelInUse;
  readonly roundsMax: number;
  readonly limits: TurnLimits;
  readonly onBlock?: EngineDependencies["onBlock"];
}

/** A session, and what sub-agents share with it. */
export interface ComposedSession {
  readonly session: Session;
  readonly shared: SpawnDependencies;
}

/** Composes a session. The order of the middleware is normative: see `ToolMiddleware` and `RequestMiddleware`. */
export function composeSession(material: SessionMaterial): ComposedSession {
  const { world, core, session, logId, store, workspace, registry, around, onBlock, mayRunBeside } = material;
  const { caches = new CacheBudget(), gate = [], sandbox = [], retrying, retention = [] } = material;
  const { bus, questions, redaction } = core;
  for (const message of material.recovered ?? []) bus.remember(message, material.lastTurn);
  const answers = caches.open<CachedResult>("tool answers");
  const handler = chainTool(
    [
      callLog,
      ...toolMiddlewareAt(around, "watch"),
      validate(),
      ...toolMiddlewareAt(around, "hooks"),
      ...toolMiddlewareAt(around, "guard"),
      ...gate,
      memoise(answers),
      ...toolMiddlewareAt(around, "keep"),
      ledger(bus, world.clock),
      ...sandbox,
      timeLimit(),
      truncateAndSpill(),
      ...toolMiddlewareAt(around, "inner"),
      redactOutput(redaction),
      catchFailures(),
    ],
    runTool,
  );
  const requestMiddleware = [
    ...requestMiddlewareAt(around, "watch"),
    ...requestMiddlewareAt(around, "context"),
    ...requestMiddlewareAt(around, "compact"),
    ...retrying,
    ...requestMiddlewareAt(around, "spend"),
    ...retention,
    ...requestMiddlewareAt(around, "attempt"),
  ];
  const engine: EngineDependencies = {
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
    requestMiddleware: registry.isLate ? [declaringLate(registry), ...requestMiddleware] : requestMiddleware,
    tools: () => registry.declared(),
    model: material.model,
    roundsMax: material.roundsMax,
    limits: material.limits,
    ...(onBlock === undefined ? {} : { onBlock }),
  };
  const close = async () => {
    answers[Symbol.dispose]();
    await material.close();
  };
  const opened = new Session({ ...material, caches, bus, questions, engine, close });
  core.whenPublished(() => opened.touch());
  return { session: opened, shared: { engine, registry, handler, requestMiddleware } };
}

/** Delays a request until the sources of its tools are ready. */
function declaringLate(registry: ToolRegistry): RequestMiddleware {
  return async function* lateTools(request, context, next) {
    await registry.ready(context.signal);
    yield* next({ ...request, tools: registry.declared() }, context);
  };
}

/** The end of the chain: exactly the planned and judged call runs (PERM-10). */
const runTool: ToolHandler = (call, context) => {
  assert(call.plan !== undefined, "a call is planned before it runs");
  return call.tool.run(call.plan, context);
};
