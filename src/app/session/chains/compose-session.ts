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
import { lateStream } from "../../../providers/middleware.ts";
import { TurnSpend } from "../../../session/budget/turn-spend.ts";
import type { Around } from "../../../session/feature.ts";
import { validHistory } from "../../../session/history/valid-history.ts";
import type { RunSubAgent } from "../../../session/spawn.ts";
import type { SessionStore } from "../../../session/store/store.ts";
import { Session } from "../../../session/turns/session.ts";
import type { SessionDependencies } from "../../../session/turns/session-dependencies.ts";
import { BASH_FACTS } from "../../../tools/bash/bash.ts";
import { catchFailures } from "../../../tools/chain/catch-failures.ts";
import type { CachedResult } from "../../../tools/chain/memoise.ts";
import { memoise } from "../../../tools/chain/memoise.ts";
import { timeLimit } from "../../../tools/chain/time-limit.ts";
import { truncateAndSpill } from "../../../tools/chain/truncate.ts";
import { validate } from "../../../tools/chain/validate.ts";
import type { ToolHandler, ToolMiddleware } from "../../../tools/middleware.ts";
import { chainTool } from "../../../tools/middleware.ts";
import type { ToolRegistry } from "../../../tools/registry.ts";
import type { ToolSource, Workspace } from "../../../tools/tool.ts";
import { callLog } from "./call-log.ts";
import { requestMiddlewareAt, toolMiddlewareAt } from "./chains.ts";
import type { RequestStep, ToolStep } from "./order.ts";
import { REQUEST_ORDER, TOOL_ORDER } from "./order.ts";
import type { SessionCore } from "./session-core.ts";

/**
 * Guard of the tool calls of a session: the permission gate and the confinement of commands. With `"vouched"`, calls
 * are neither judged nor confined: only a program that embeds the engine and vouches for all its tools may choose that.
 */
export type CallGuard = { readonly gate: ToolMiddleware; readonly confine: ToolMiddleware } | "vouched";

/** Parts that one session is composed of. */
export interface ComposeDependencies
  extends Pick<
    SessionDependencies,
    | "followsAnother"
    | "idleTimeoutMs"
    | "pinned"
    | "provisional"
    | "tasksRunning"
    | "setModel"
    | "chosenEffort"
    | "level"
    | "setLevel"
    | "revokeRule"
    | "promoteRule"
    | "onFollowed"
    | "onInput"
    | "takes"
    | "leftOut"
    | "attachments"
    | "unsaved"
    | "turnFiles"
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
  /** Returns the tools of the features. They are added to the registry. */
  readonly tools: (spawn: RunSubAgent) => readonly ToolSource[];
  readonly workspace: Workspace;
  /** Absent: calls of one answer run one after the other. */
  readonly mayRunBeside?: NonNullable<DispatcherDependencies["mayRunBeside"]>;
  /** Middleware of the features, in their order. */
  readonly around: readonly Around[];
  /** Required, so that no session lacks a guard by omission. */
  readonly guard: CallGuard;
  /** Tries the sandbox beside the first request. Default: the first command tries it. */
  readonly proveSandbox?: RequestMiddleware;
  /** Request middleware on the provider's side. Default: none. */
  readonly provider?: Readonly<
    Partial<
      Record<"cacheBreakpoints" | "takeover" | "reportLeftOut" | "retry" | "expireContent", RequestMiddleware>
    >
  >;
  /** Called for each round. */
  readonly model: () => ModelInUse;
  readonly roundsMax: number;
  readonly limits: TurnLimits;
  readonly onBlock?: EngineDependencies["onBlock"];
}

/**
 * Composes a session. `order.ts` holds the order of the middleware.
 * @throws HarnessError ToolNameTaken, ToolInvalid.
 */
export function composeSession(material: ComposeDependencies): Session {
  using undo = new DisposableStack();
  const { world, core, session, logId, store, workspace, registry, onBlock, mayRunBeside } = material;
  const { caches = new CacheBudget() } = material;
  const { bus, questions, redaction } = core;
  const answers = undo.use(caches.open<CachedResult>("tool answers"));
  const toolSteps = toolStepsOf(material, answers);
  const requestSteps = requestStepsOf(material);
  const handler = chainTool(
    TOOL_ORDER.flatMap((step) => toolSteps[step]),
    runTool,
  );
  // A sub-agent declares tools of its own.
  const requestMiddleware = REQUEST_ORDER.filter((step) => step !== "lateTools").flatMap(
    (step) => requestSteps[step],
  );
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
    requestMiddleware: REQUEST_ORDER.flatMap((step) => requestSteps[step]),
    tools: () => registry.declared(),
    model: material.model,
    roundsMax: material.roundsMax,
    limits: material.limits,
    spend: new TurnSpend(),
    ...(onBlock === undefined ? {} : { onBlock }),
  };
  const runSubAgent = subAgentRunner({ engine, registry, handler, requestMiddleware });
  for (const source of material.tools(runSubAgent)) registry.add(source);
  for (const message of material.recovered ?? []) bus.remember(message, material.lastTurn);
  const resources = undo.move(); // the session frees them
  const close = async (isLeft: boolean) => {
    resources.dispose();
    await material.close(isLeft);
  };
  const opened = new Session({
    ...material,
    shellTool: BASH_FACTS.name,
    caches,
    bus,
    questions,
    engine,
    close,
  });
  core.serve(opened);
  return opened;
}

/** Returns the tool middleware of each step. */
function toolStepsOf(
  { world, core, around, guard }: ComposeDependencies,
  answers: Parameters<typeof memoise>[0],
): Readonly<Record<ToolStep, readonly ToolMiddleware[]>> {
  const { gate, confine } =
    guard === "vouched" ? { gate: [], confine: [] } : { gate: [guard.gate], confine: [guard.confine] };
  return {
    callLog: [callLog],
    watch: toolMiddlewareAt(around, "watch"),
    validate: [validate()],
    hooks: toolMiddlewareAt(around, "hooks"),
    guard: toolMiddlewareAt(around, "guard"),
    permission: gate,
    memoise: [memoise(answers)],
    keep: toolMiddlewareAt(around, "keep"),
    ledger: [ledger(core.bus, world.clock)],
    confine,
    timeLimit: [timeLimit()],
    truncateAndSpill: [truncateAndSpill()],
    inner: toolMiddlewareAt(around, "inner"),
    redactOutput: [redactOutput(core.redaction)],
    catchFailures: [catchFailures()],
  };
}

/** Returns the request middleware of each step. */
function requestStepsOf({
  around,
  registry,
  proveSandbox,
  provider = {},
}: ComposeDependencies): Readonly<Record<RequestStep, readonly RequestMiddleware[]>> {
  return {
    lateTools: [lateTools(registry)],
    proveSandbox: only(proveSandbox),
    watch: requestMiddlewareAt(around, "watch"),
    context: requestMiddlewareAt(around, "context"),
    compact: requestMiddlewareAt(around, "compact"),
    cacheBreakpoints: only(provider.cacheBreakpoints),
    takeover: only(provider.takeover),
    reportLeftOut: only(provider.reportLeftOut),
    retry: only(provider.retry),
    spend: requestMiddlewareAt(around, "spend"),
    expireContent: only(provider.expireContent),
    attempt: requestMiddlewareAt(around, "attempt"),
  };
}

/** Returns the function that runs sub-agents in a session. Its code is loaded with the first. */
function subAgentRunner(shared: SpawnDependencies): RunSubAgent {
  return async function runSubAgent(request) {
    const { spawn } = await import("../../../engine/spawn.ts");
    return await spawn(request, shared);
  };
}

/** Delays a request until the sources of its tools are ready. */
function lateTools(registry: ToolRegistry): RequestMiddleware {
  return function lateTools(request, context, next) {
    if (!registry.isLate) return next(request, context);
    return lateStream(async () => {
      await registry.ready(context.signal);
      return next({ ...request, tools: registry.declared() }, context);
    });
  };
}

/** Returns the middleware of one step. */
function only<Middleware>(run: Middleware | undefined): readonly Middleware[] {
  return run === undefined ? [] : [run];
}

/** The end of the chain: exactly the planned and judged call runs (PERM-10). */
const runTool: ToolHandler = (call, context) => {
  assert(call.plan !== undefined, "a call is planned before it runs");
  return call.tool.run(call.plan, context);
};
