import { ownWords } from "../../base/brand.ts";
import { HarnessError } from "../../base/errors.ts";
import type { SessionId } from "../../base/ids.ts";
import type { World } from "../../base/world.ts";
import { settingsOf } from "../../config/settings/settings.ts";
import { compactionSection } from "../../features/compaction/config.ts";
import { compactionOf } from "../../features/compaction/open.ts";
import { costCap } from "../../features/limits/cap.ts";
import { REPEATED_FAILURES_MAX, REPEATED_RESULTS_MAX } from "../../features/limits/config.ts";
import { progressGuard } from "../../features/limits/guard.ts";
import { costMeter } from "../../features/limits/meter.ts";
import type { ContentBlock } from "../../protocol/content.ts";
import type { Message } from "../../protocol/message.ts";
import type { ModelInUse } from "../../providers/choosing/model-in-use.ts";
import { knownModel } from "../../providers/choosing/prices.ts";
import type { RequestMiddleware } from "../../providers/middleware.ts";
import { retry } from "../../providers/retry/retry.ts";
import { UNTRUSTED_NOTICE } from "../../safety/fence.ts";
import { redactor } from "../../safety/redact.ts";
import { Spend } from "../../session/budget/spend.ts";
import { validHistory } from "../../session/history/valid-history.ts";
import { PERMISSION_TIMEOUT_MS } from "../../session/questions/questions.ts";
import { memorySessionStore } from "../../session/store/memory-store.ts";
import { SEAL_KEY_BYTES } from "../../session/store/seal.ts";
import { sealedFiles } from "../../session/store/sealed-files.ts";
import type { Session } from "../../session/turns/session.ts";
import type { ToolMiddleware } from "../../tools/middleware.ts";
import { ToolRegistry } from "../../tools/registry.ts";
import type { ToolSource } from "../../tools/tool.ts";
import { TOOLS } from "../plan/tool-list.ts";
import { composeSession } from "../session/chains/session.ts";
import { SessionCore } from "../session/chains/session-core.ts";
import type { HarnessConfig } from "./embedder.ts";
import type { FacadePlugins } from "./facade-plugins.ts";
import { promptLimits } from "./prompt-limits.ts";

/** Parts that the library gives to its one session. */
export interface ConversationSources {
  readonly config: HarnessConfig;
  readonly world: World;
  /** Names a folder for what is too long for a request. */
  scratch(): AsyncDisposable & { readonly path: string };
  readonly model: ModelInUse;
  /** The embedder's own tools. */
  readonly library: ToolSource;
  readonly tellResults: ToolMiddleware;
  readonly onBlock: (block: ContentBlock) => void;
  /** Resolves to undefined where there are no plugins. */
  openPlugins(session: SessionId): Promise<FacadePlugins | undefined>;
}

/** The one session of a `Harness`. */
export interface Opened {
  readonly session: Session;
  history(): Promise<readonly Message[]>;
}

/** Composes the session of the library. It frees what was opened here; so does a failure to compose it. */
export async function openConversation(
  sources: ConversationSources,
  history: readonly Message[],
): Promise<Opened> {
  const { config, model, world } = sources;
  await using undo = new AsyncDisposableStack();
  const held = undo.use(new AsyncDisposableStack());
  const store = memorySessionStore(world.machine);
  const [logId, session] = [world.ids.next("log"), world.ids.next("sess")];
  const plugins = await sources.openPlugins(session);
  if (plugins !== undefined) held.use(plugins.host);
  const { path: scratch } = held.use(sources.scratch());
  const createdAt = new Date(world.clock.now()).toISOString();
  const log = { logId, session, workingDir: "", profile: "library", model: model.id, createdAt };
  const writer = await store.create(log, {
    pid: world.machine.pid,
    processStart: world.machine.processStart,
  });
  held.use(writer);
  const key = world.random.bytes(SEAL_KEY_BYTES);
  const directories = [scratch];
  const secrets = redactor([]);
  const sealed = { ...world, files: sealedFiles(world.files, { directories, key, random: world.random }) };
  const core = new SessionCore({
    ...{ world: sealed, session, logId, store, writer, redactor: secrets },
    attended: false,
    permissionTimeoutMs: PERMISSION_TIMEOUT_MS,
  });
  const own = plugins?.open({
    publish: (event) => core.publish(event),
    follow: (signal) => core.follow(signal),
  });
  if (own !== undefined) held.use(own);
  const registry = new ToolRegistry();
  for (const source of [sources.library, ...(own?.tools ?? [])]) registry.add(source);
  const guard = progressGuard({ failuresMax: REPEATED_FAILURES_MAX, resultsMax: REPEATED_RESULTS_MAX });
  const { session: composed } = composeSession({
    world: sealed,
    core,
    session,
    logId,
    store,
    history,
    recovered: history,
    lastTurn: 0,
    registry,
    ...(own === undefined
      ? {}
      : { onInput: own.onInput, onTurnEnd: own.onTurnEnd, onFollowed: own.onFollowed }),
    workspace: { root: scratch, cwd: scratch, seen: new Map(), env: {}, scratch },
    around: [
      { tool: "watch", run: guard.tool },
      { tool: "watch", run: sources.tellResults },
      { request: "watch", run: guard.request },
      ...(own?.around ?? []),
      { request: "context", run: systemPrompt(config.systemPrompt ?? "") },
      {
        request: "compact",
        run: compactionOf({
          world,
          settings: settingsOf(compactionSection, {}),
          tools: TOOLS,
          windowOf: (provider, name) => knownModel(provider, name)?.contextTokens,
          redact: (text) => secrets.text(text),
          before: async (moment, context) => await own?.onCompact(moment, context),
        }),
      },
      ...budget(config).map((run) => ({ request: "spend", run }) as const),
    ],
    retrying: [retry()],
    model: () => model,
    setModel: () =>
      Promise.reject(new HarnessError("InvalidCommand", { kind: "SetModel", why: "make another Harness" })),
    revokeRule: () => false,
    promoteRule: async () => undefined,
    ...promptLimits(config, world.clock),
    onBlock: sources.onBlock,
    settle: async () => await own?.settle(),
    close: () => held.disposeAsync(),
  });
  undo.move(); // the session frees it
  return {
    session: composed,
    history: async () => validHistory((await store.messages(logId)).map(({ message }) => message)),
  };
}

/** Counts what each call costs, and refuses those beyond the cap. */
function budget({ maxCostUsd: capUsd }: HarnessConfig): readonly RequestMiddleware[] {
  const spend = new Spend();
  const priceOf = (provider: string, model: string) => knownModel(provider, model)?.price;
  return [
    ...(capUsd === undefined ? [] : [costCap({ capUsd, spend, priceOf, unknownPrice: "refuse" })]),
    costMeter(priceOf, spend),
  ];
}

/** Stands first; what plugins added comes after. The word on fences goes with every request, since results are fenced. */
function systemPrompt(text: string): RequestMiddleware {
  const own = [
    ...(text === "" ? [] : [{ name: "library", text: ownWords(text) }]),
    { name: "environment", text: ownWords(UNTRUSTED_NOTICE) },
  ];
  return (request, context, next) => next({ ...request, system: [...own, ...request.system] }, context);
}
