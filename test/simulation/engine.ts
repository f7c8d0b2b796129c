import { FEATURES } from "../../src/app/features.ts";
import { resumeLog } from "../../src/app/log/resume.ts";
import { TOOLS } from "../../src/app/plan/tool-list.ts";
import { composeSession } from "../../src/app/session/chains/compose-session.ts";
import { SessionCore } from "../../src/app/session/chains/session-core.ts";
import type { SessionsSources } from "../../src/app/sessions/stored-session-commands.ts";
import { storedSessionCommands } from "../../src/app/sessions/stored-session-commands.ts";
import type { LogId } from "../../src/base/ids.ts";
import { ulidSource } from "../../src/base/ids.ts";
import { SILENT_LOG } from "../../src/base/log.ts";
import type { World } from "../../src/base/world.ts";
import { TurnLimits } from "../../src/engine/loop/turn-limits.ts";
import { handleRewind } from "../../src/features/checkpoints/rewind/rewind.ts";
import type { CompactionDependencies } from "../../src/features/compaction/compaction-dependencies.ts";
import { compactionMiddleware } from "../../src/features/compaction/compaction-middleware.ts";
import { CompactionState } from "../../src/features/compaction/compaction-state.ts";
import type { CommandOf } from "../../src/protocol/commands/commands.ts";
import { retry } from "../../src/providers/retry/retry.ts";
import { redactor } from "../../src/safety/redact.ts";
import { Multiplexer } from "../../src/server/hub/multiplexer.ts";
import { carryOutStored } from "../../src/session/commands/stored-session-commands.ts";
import type { SessionHost } from "../../src/session/host.ts";
import type { Questions } from "../../src/session/questions/questions.ts";
import { PERMISSION_TIMEOUT_MS } from "../../src/session/questions.ts";
import type { Holder, SessionStore } from "../../src/session/store/store.ts";
import type { Session } from "../../src/session/turns/session.ts";
import type { SessionDependencies } from "../../src/session/turns/session-dependencies.ts";
import type { ToolMiddleware } from "../../src/tools/middleware.ts";
import { errorOutput } from "../../src/tools/output.ts";
import { ToolRegistry } from "../../src/tools/registry.ts";
import type { Workspace } from "../../src/tools/tool.ts";
import type { Chance } from "../support/chance.ts";
import type { SimDisk } from "./disk.ts";
import { lostWords } from "./kept-words.ts";
import { simProvider } from "./provider.ts";
import type { SimProcess } from "./scheduler.ts";
import type { Outside } from "./tools.ts";
import { simTools } from "./tools.ts";

const ROUNDS_MAX = 8;
const OUTPUT_TOKENS_MAX = 50;
/** Idle timeout, short enough that a session without subscribers ends while others still act. */
const IDLE_TIMEOUT_MS = 300;

/** A window so small that a session of a few turns fills it. */
const COMPACTION: CompactionDependencies = {
  settings: { threshold: 0.8, keepTurns: 1, contextTokens: 700 },
  windowOf: () => undefined,
  tools: TOOLS,
  keep: async () => undefined,
  redact: (text) => text,
};

export interface EngineSurroundings {
  readonly process: SimProcess;
  readonly chance: Chance;
  readonly disk: SimDisk;
  readonly outside: Outside;
  readonly isAlive: (pid: number) => boolean;
  readonly providerFaults: () => number;
  readonly violated: (what: string) => void;
}

/** The engine of one simulated process: multiplexer, sessions, bus, log, middleware: the real ones. */
export function startEngine(around: EngineSurroundings): Multiplexer {
  const { process, disk } = around;
  const world = simWorld(around);
  const store = disk.open(process);
  const { signal } = new AbortController();
  const keeping = storedSessionCommands({ world, store, signal } as SessionsSources);
  return new Multiplexer({
    world,
    store,
    openSession: async (request) => ({ session: await openSession(request, { ...around, world }) }),
    keeping: async (command, client) => await carryOutStored(keeping, command, client),
  });
}

/** Returns a feature that rewinds the conversation only, not files. */
function rewinding(
  store: SessionStore,
  logId: LogId,
  workspace: Workspace,
): NonNullable<SessionDependencies["rewind"]> {
  const ask = () => Promise.resolve({ kind: "nobody" } as const);
  const host = { logId, workspace, store, ask } as unknown as SessionHost;
  const open = () => Promise.reject(new Error("no files are kept in a simulated world"));
  return async (command, turn) => await handleRewind(command, turn, { host, open });
}

interface SessionSurroundings extends EngineSurroundings {
  readonly world: World;
}

async function openSession(
  request: CommandOf<"CreateSession">,
  around: SessionSurroundings,
): Promise<Session> {
  const { world, process, disk, chance, outside } = around;
  const store = disk.open(process);
  const session = world.ids.next("sess");
  const logId: LogId = request.resume ?? world.ids.next("log");
  const holder: Holder = { pid: process.pid, processStart: `${process.pid}` };
  const createdAt = new Date(world.clock.now()).toISOString();
  const start = { logId, session, workingDir: "/", profile: "sim", model: "sim:sim-1", createdAt };
  const resumes = request.resume !== undefined;
  await using undo = new AsyncDisposableStack();
  const writer = undo.use(
    resumes ? await store.open(logId, session, holder) : await store.create(start, holder),
  );
  const resumed = resumes
    ? await resumeLog(store, logId, FEATURES)
    : { history: [], recovered: [], lastTurn: 0 };
  const registry = new ToolRegistry();
  registry.add({ name: "sim", tools: () => simTools({ process, chance, outside }) });
  const provider = simProvider({
    process,
    chance,
    faults: around.providerFaults,
    violated: around.violated,
    outside,
    lost: (request) => lostWords(disk.content, logId, { request, isSqueezed: outside.overflowed }),
  });
  const workspace = { root: "/", cwd: "/", seen: new Map(), env: {}, scratch: "/scratch" };
  const pinned = (await store.find(logId))?.pinned ?? false;
  const core = new SessionCore({
    ...{ world, session, logId, store, writer },
    redactor: redactor([]),
    attended: true,
    permissionTimeoutMs: PERMISSION_TIMEOUT_MS,
  });
  const composed = composeSession({
    tools: () => [],
    world,
    core,
    session,
    logId,
    store,
    ...resumed,
    idleTimeoutMs: IDLE_TIMEOUT_MS,
    pinned,
    registry,
    workspace,
    rewind: rewinding(store, logId, workspace),
    around: [{ request: "compact", run: compactionMiddleware(new CompactionState(COMPACTION)) }],
    guard: {
      gate: askForChanges(core.questions, chance),
      confine: (call, context, next) => next(call, context),
    },
    provider: { retry: retry() },
    model: () => ({ provider, id: "sim-1", outputTokensMax: OUTPUT_TOKENS_MAX }),
    setModel: () => Promise.resolve([]),
    chosenEffort: () => undefined,
    setLevel: () => ({ changed: false, notices: [] }),
    revokeRule: () => false,
    promoteRule: async () => undefined,
    roundsMax: ROUNDS_MAX,
    limits: new TurnLimits({ clock: world.clock, limits: () => ({ roundsMax: ROUNDS_MAX }) }),
    settle: () => Promise.resolve(),
    close: async () => await writer[Symbol.asyncDispose](),
  });
  undo.move();
  return composed;
}

/** Asks a person before a change, more often than not. */
function askForChanges(questions: Questions, chance: Chance): ToolMiddleware {
  return async function askForChanges(call, context, next) {
    if (!call.tool.mutating || chance.happens(0.4)) return await next(call, context);
    const { id: callId, name: tool, input: args } = call;
    const { originator } = context;
    const answer = await questions.askPermission(
      { callId, tool, args, originator, summary: tool },
      context.signal,
    );
    const allowed = answer.kind === "answered" && answer.decision === "allow";
    return allowed ? await next(call, context) : errorOutput("it was not allowed");
  };
}

/** Nothing here reaches the machine: what is not simulated fails. */
function simWorld({ process, chance, isAlive }: EngineSurroundings): World {
  const { clock, pid } = process;
  const nothing = () => {
    throw new Error("there is no such thing in a simulated world");
  };
  const files = new Proxy({} as World["files"], { get: () => nothing });
  return {
    clock,
    ids: ulidSource(clock.now, chance.bytes),
    random: { bytes: chance.bytes, number: chance.number },
    fetch: () => Promise.reject(new Error("a simulated world has no network")),
    resolve: () => Promise.reject(new Error("a simulated world has no network")),
    files,
    lock: () => Promise.reject(new Error("a simulated world has no locks")),
    spawn: nothing,
    listen: nothing,
    log: SILENT_LOG,
    machine: {
      platform: "linux",
      pid,
      processStart: `${pid}`,
      isAlive: (other) => isAlive(other),
    },
  };
}
