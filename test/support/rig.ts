import { FEATURES } from "../../src/app/features.ts";
import { resumeLog } from "../../src/app/log/resume.ts";
import { TOOLS } from "../../src/app/plan/tool-list.ts";
import type { ComposeDependencies } from "../../src/app/session/chains/compose-session.ts";
import { composeSession } from "../../src/app/session/chains/compose-session.ts";
import { SessionCore } from "../../src/app/session/chains/session-core.ts";
import type { CacheBudget } from "../../src/base/cache-budget.ts";
import type { LogId } from "../../src/base/ids.ts";
import { TurnLimits } from "../../src/engine/loop/turn-limits.ts";
import type { CommandOf } from "../../src/protocol/commands/commands.ts";
import type { Connection, IdentityClass } from "../../src/protocol/connection.ts";
import type { InputBlock, ResultContent } from "../../src/protocol/content.ts";
import type { Envelope, EnvelopeOf } from "../../src/protocol/events/envelope.ts";
import type { Event, EventKind } from "../../src/protocol/events/events.ts";
import { COMMAND_KINDS, EVENT_KINDS } from "../../src/protocol/kinds.ts";
import type { Message } from "../../src/protocol/message.ts";
import { PROTOCOL_VERSION } from "../../src/protocol/version.ts";
import type { RequestMiddleware } from "../../src/providers/middleware.ts";
import type { Provider } from "../../src/providers/provider.ts";
import { redactor } from "../../src/safety/redact.ts";
import { connectInproc } from "../../src/server/hub/inproc.ts";
import { Multiplexer } from "../../src/server/hub/multiplexer.ts";
import type { NewsSource } from "../../src/server/hub/news/news.ts";
import type { QueryHandlers } from "../../src/session/commands/query-handlers.ts";
import type {
  StoredSessionCommands,
  StoredSessionHandler,
} from "../../src/session/commands/stored-session-commands.ts";
import { carryOutStored } from "../../src/session/commands/stored-session-commands.ts";
import type { Unfinished } from "../../src/session/history/unfinished.ts";
import type { Questions } from "../../src/session/questions/questions.ts";
import { PERMISSION_TIMEOUT_MS } from "../../src/session/questions.ts";
import { memorySessionStore } from "../../src/session/store/memory-store.ts";
import type { Intent, SessionStore } from "../../src/session/store/store.ts";
import type { Session } from "../../src/session/turns/session.ts";
import type { SessionDependencies } from "../../src/session/turns/session-dependencies.ts";
import type { ToolMiddleware } from "../../src/tools/middleware.ts";
import { ToolRegistry } from "../../src/tools/registry.ts";
import type { Tool, ToolContext, ToolOutput } from "../../src/tools/tool.ts";
import type { Level } from "../../src/tools/tool-facts.ts";
import type { ScriptedAnswer, ScriptedProvider } from "./scripted-provider.ts";
import { scriptedProvider } from "./scripted-provider.ts";
import type { TestWorld } from "./world.ts";
import { temporaryDirectory, testWorld } from "./world.ts";

export interface RigOptions {
  readonly script: readonly ScriptedAnswer[];
  /** A model of the test's own, in place of the script. */
  readonly model?: Provider;
  readonly tools?: readonly Tool[];
  readonly roundsMax?: number;
  readonly attended?: boolean;
  readonly identityClass?: IdentityClass;
  /** Gate of the session; absent: its calls are vouched for. */
  readonly gate?: (questions: Questions) => readonly [ToolMiddleware];
  readonly telemetry?: readonly ToolMiddleware[];
  readonly mayRunBeside?: NonNullable<ComposeDependencies["mayRunBeside"]>;
  readonly requestMiddleware?: readonly RequestMiddleware[];
  readonly store?: SessionStore;
  readonly history?: readonly Message[];
  readonly lastTurn?: number;
  readonly unfinished?: Unfinished;
  readonly orphans?: NonNullable<ComposeDependencies["orphans"]>;
  /** Goes on with a log of `store` instead of beginning one, as a new run does. */
  readonly resume?: LogId;
  readonly world?: TestWorld;
  /** Tells the process of this run from others; one whose start the store takes for dead is overtaken. */
  readonly processStart?: string;
  readonly onInput?: NonNullable<SessionDependencies["onInput"]>;
  readonly unsaved?: NonNullable<SessionDependencies["unsaved"]>;
  /** Default: inputs refer to no files. */
  readonly attachments?: NonNullable<SessionDependencies["attachments"]>;
  readonly caches?: CacheBudget;
  readonly idleTimeoutMs?: number;
  /** True: the session is one that may never be used. */
  readonly provisional?: boolean;
  /** See `SessionCoreDependencies`. Default: the time of a question always counts. */
  readonly questionsStayOpen?: boolean;
  readonly pinned?: boolean;
  readonly tasksRunning?: () => number;
  /** Awaited at the end of each session, before its log is let go. */
  readonly closing?: (isLeft: boolean) => Promise<void>;
  /** Handlers of commands about stored sessions. */
  readonly keeping?: Partial<StoredSessionCommands>;
  /** Given what publishes events while no call is under way. */
  readonly onTell?: (tell: (event: Event) => void) => void;
  /** False where nobody follows the session: \`events\` then stays empty. */
  readonly follows?: boolean;
}

/** One session of the real engine with a scripted model and a fake clock, driven as a client drives it. */
export interface Rig extends AsyncDisposable {
  readonly world: TestWorld;
  readonly session: Session;
  readonly multiplexer: Multiplexer;
  readonly store: SessionStore;
  readonly connection: Connection;
  readonly provider: ScriptedProvider;
  readonly root: string;
  /** Every event so far, as the client saw it. */
  readonly events: Envelope[];
  /** Has its engine answer queries with these handlers, and tell the news from this source. */
  answers(handlers: QueryHandlers, news?: NewsSource): void;
  connect(identityClass?: IdentityClass): Promise<Connection>;
  /** Sends a prompt and waits for the end of its turn. */
  send(text: string | readonly InputBlock[]): Promise<TurnSeen>;
  /** Resolves with the next event of a kind, or the one already seen. */
  until<Kind extends EventKind>(kind: Kind, nth?: number): Promise<EnvelopeOf<Kind>>;
}

export interface TurnSeen {
  readonly events: readonly Envelope[];
  readonly text: string;
  readonly reason: string;
  readonly results: readonly { readonly text: string; readonly isError: boolean }[];
}

/** Returns the guard of a session with this gate. Nothing in a rig runs commands that would be confined. */
function guardOf(gate: readonly [ToolMiddleware] | undefined): ComposeDependencies["guard"] {
  if (gate === undefined) return "vouched";
  return { gate: gate[0], confine: (call, context, next) => next(call, context) };
}

export async function openRig(options: RigOptions): Promise<Rig> {
  const world = options.world ?? testWorld();
  const directory = temporaryDirectory();
  const store = options.store ?? memorySessionStore(world.machine);
  const provider = scriptedProvider(options.script);
  const registry = new ToolRegistry();
  registry.add({ name: "test", tools: () => options.tools ?? [] });

  async function openRun(resume: LogId | undefined): Promise<Session> {
    const [logId, sessionId] = [resume ?? world.ids.next("log"), world.ids.next("sess")];
    const { pid, processStart } = world.machine;
    const holder = { pid, processStart: options.processStart ?? processStart };
    const start = {
      logId,
      session: sessionId,
      workingDir: directory.path,
      profile: "test",
      model: "scripted:scripted-1",
      createdAt: new Date(world.clock.now()).toISOString(),
    };
    const writer =
      resume === undefined ? await store.create(start, holder) : await store.open(logId, sessionId, holder);
    const resumed = resume === undefined ? undefined : await resumeLog(store, logId, FEATURES);
    const intents = (options.unfinished?.calls ?? []).flatMap(({ callId, name: tool, intent }): Intent[] =>
      intent === undefined ? [] : [{ callId, tool, argsHash: "", ...intent }],
    );
    await writer.append({ intents }, "power");
    const core = new SessionCore({
      world,
      session: sessionId,
      logId,
      store,
      writer,
      redactor: redactor([]),
      attended: options.attended ?? true,
      permissionTimeoutMs: PERMISSION_TIMEOUT_MS,
      questionsStayOpen: options.questionsStayOpen ?? false,
    });
    options.onTell?.((event) => core.publish(event));
    const roundsMax = options.roundsMax ?? 50;
    let level: Level = "WorkspaceWrite";
    let effort: CommandOf<"SetModel">["effort"];
    const composed = composeSession({
      tools: () => [],
      world,
      core,
      session: sessionId,
      logId,
      store,
      history: options.history ?? [],
      lastTurn: options.lastTurn ?? 0,
      ...(options.unfinished === undefined ? {} : { unfinished: options.unfinished }),
      ...(options.orphans === undefined ? {} : { orphans: options.orphans }),
      ...(options.onInput === undefined ? {} : { onInput: options.onInput }),
      ...(options.unsaved === undefined ? {} : { unsaved: options.unsaved }),
      ...(options.attachments === undefined ? {} : { attachments: options.attachments }),
      ...(options.mayRunBeside === undefined ? {} : { mayRunBeside: options.mayRunBeside }),
      ...(options.caches === undefined ? {} : { caches: options.caches }),
      ...(options.idleTimeoutMs === undefined ? {} : { idleTimeoutMs: options.idleTimeoutMs }),
      ...(options.provisional === undefined ? {} : { provisional: options.provisional }),
      ...(options.pinned === undefined ? {} : { pinned: options.pinned }),
      ...(options.tasksRunning === undefined ? {} : { tasksRunning: options.tasksRunning }),
      ...resumed,
      registry,
      workspace: {
        root: directory.path,
        cwd: directory.path,
        seen: new Map(),
        env: {},
        scratch: directory.path,
      },
      around: [
        ...(options.telemetry ?? []).map((run) => ({ tool: "watch", run }) as const),
        ...(options.requestMiddleware ?? []).map((run) => ({ request: "watch", run }) as const),
      ],
      guard: guardOf(options.gate?.(core.questions)),
      model: () => ({ provider: options.model ?? provider, id: "scripted-1", outputTokensMax: 4_096 }),
      setModel(_name, _signal, wanted = effort) {
        effort = wanted;
        return Promise.resolve([]);
      },
      chosenEffort: () => effort,
      setLevel(next) {
        const changed = next !== level;
        level = next;
        return { changed, notices: [] };
      },
      revokeRule: () => false,
      promoteRule: async () => undefined,
      roundsMax,
      limits: new TurnLimits({ clock: world.clock, limits: () => ({ roundsMax }) }),
      settle: () => Promise.resolve(),
      async close(isLeft) {
        await options.closing?.(isLeft);
        await writer[Symbol.asyncDispose]();
      },
    });
    return composed;
  }

  const session = await openRun(options.resume);
  const { id: sessionId } = session;
  let handlers: QueryHandlers = {};
  let newsSource: NewsSource | undefined;
  const multiplexer = new Multiplexer({
    world,
    store,
    queries: async () => handlers,
    async news() {
      if (newsSource === undefined) throw new Error("this rig has no source of news");
      return newsSource;
    },
    openSession: async ({ resume }) => ({ session: await openRun(resume) }),
    ...(options.keeping === undefined ? {} : { keeping: keptBy(options.keeping) }),
  });
  multiplexer.add(session);
  const served = { commands: COMMAND_KINDS, events: EVENT_KINDS, features: [] };

  async function connect(identityClass: IdentityClass = "human"): Promise<Connection> {
    const made = connectInproc(multiplexer, { identityClass, label: "rig" }, served);
    await made.handshake(PROTOCOL_VERSION);
    return made;
  }

  const connection = await connect(options.identityClass);
  const events: Envelope[] = [];
  const waiting = new Set<() => void>();
  const stop = new AbortController();
  let isOver = false;
  const reading = (async () => {
    if (options.follows === false) return;
    for await (const event of connection.subscribe(sessionId, { since: 0, signal: stop.signal })) {
      events.push(event);
      for (const wake of waiting) wake();
    }
  })().finally(() => {
    isOver = true;
    for (const wake of waiting) wake();
  });
  reading.catch(() => undefined); // whoever waits for an event is told

  async function until<Kind extends EventKind>(kind: Kind, nth = 1): Promise<EnvelopeOf<Kind>> {
    while (true) {
      const found = events.filter((event) => event.kind === kind)[nth - 1];
      if (found !== undefined) return found as EnvelopeOf<Kind>;
      if (isOver) await reading.then(() => Promise.reject(new Error(`no ${kind} came`)));
      // Not a race with the reading: each would leave something behind with it until its end.
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.add(resolve);
      await promise;
      waiting.delete(resolve);
    }
  }

  return {
    world,
    session,
    multiplexer,
    store,
    connection,
    provider,
    root: directory.path,
    events,
    answers(given, news) {
      handlers = given;
      newsSource = news;
    },
    connect,
    until,
    async send(input) {
      const from = events.length;
      const turns = events.filter((event) => event.kind === "TurnEnded").length;
      const content = typeof input === "string" ? [{ type: "text" as const, text: input }] : [...input];
      await connection.send({ kind: "SendInput", sessionId, content });
      const ended = await until("TurnEnded", turns + 1);
      return turnSeen(events.slice(from), ended.payload.reason);
    },
    async [Symbol.asyncDispose]() {
      try {
        await multiplexer.close("user");
        stop.abort();
        await reading;
      } finally {
        await directory[Symbol.asyncDispose]();
      }
    },
  };
}

function turnSeen(events: readonly Envelope[], reason: string): TurnSeen {
  const text = events.map((event) => (event.kind === "TextDelta" ? event.payload.text : "")).join("");
  const results = events.flatMap((event) =>
    event.kind === "ToolResult"
      ? [{ text: textOf(event.payload.content), isError: event.payload.isError ?? false }]
      : [],
  );
  return { events, text, reason, results };
}

export function textOf(content: readonly ResultContent[]): string {
  return content.map((block) => (block.type === "text" ? block.text : `(${block.type})`)).join("");
}

/** A tool that does what the test says, and tells of it in `runs`. */
export function fakeTool(
  name: string,
  run: (input: unknown, context: ToolContext) => Promise<ToolOutput> | ToolOutput,
  traits: Partial<Pick<Tool, "mutating" | "level" | "lazy" | "inputSchema" | "msMax">> = {},
): Tool {
  const { kind = "other", preview } = TOOLS.of(name) ?? {};
  return {
    name,
    kind,
    ...(preview === undefined ? {} : { preview }),
    description: `does ${name}`,
    inputSchema: { type: "object" },
    mutating: false,
    level: "ReadOnly",
    ...traits,
    plan: (input) => Promise.resolve({ summary: name, target: { kind: "none" }, input } as const),
    run: async (plan, context) => await run("input" in plan ? plan.input : undefined, context),
  };
}

export function ok(text: string): ToolOutput {
  return { content: [{ type: "text", text }] };
}

export function failed(text: string): ToolOutput {
  return { content: [{ type: "text", text }], isError: true };
}

/** Carries out the commands that a test serves; it sends no others. */
function keptBy(commands: Partial<StoredSessionCommands>): StoredSessionHandler {
  return (command, client) => carryOutStored(commands as StoredSessionCommands, command, client);
}
