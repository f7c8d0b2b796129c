import { defined } from "../../base/defined.ts";
import type { LogId, SessionId } from "../../base/ids.ts";
import type { World } from "../../base/world.ts";
import type { Connection } from "../../protocol/connection.ts";
import type { ContentBlock } from "../../protocol/content.ts";
import type { Message } from "../../protocol/message.ts";
import type { Provider } from "../../providers/provider.ts";
import { validHistory } from "../../session/history/valid-history.ts";
import type { Plugin } from "../../session/plugins/plugin.ts";
import { memorySessionStore } from "../../session/store/memory-store.ts";
import type { SessionStore } from "../../session/store/store.ts";
import type { ToolMiddleware } from "../../tools/middleware.ts";
import type { ToolSource } from "../../tools/tool.ts";
import { BootFailure } from "../engine/boot.ts";
import { embeddedFeatures } from "../features.ts";
import { featureSet } from "../plan/feature-set.ts";
import { ENGINE_PROFILE, settingsOfSetup } from "./embedded-engine/engine-settings.ts";
import { libraryFeature } from "./embedded-engine/library-feature.ts";
import { openEmbeddedSessions } from "./embedded-engine/open-sessions.ts";
import type { HarnessConfig } from "./embedder.ts";
import { OUTPUT_TOKENS_MAX, PROMPT_ROUNDS_MAX } from "./embedder.ts";

/** Model of a `Harness`. */
export interface LibraryModel {
  readonly provider: Provider;
  readonly id: string;
  /** Sentence for the embedder, if it is another model than the named one. */
  readonly note?: string;
}

/** Parts that a `Harness` gives to its one session. */
export interface ConversationSources {
  readonly config: HarnessConfig;
  readonly world: World;
  readonly model: LibraryModel;
  /** The embedder's own tools. */
  readonly library: ToolSource;
  readonly tellResults: ToolMiddleware;
  readonly onBlock: (block: ContentBlock) => void;
  readonly plugins: readonly Plugin[];
}

/** The one session of a `Harness`. Disposing it ends the session. */
export interface OpenConversation extends AsyncDisposable {
  readonly session: SessionId;
  readonly connection: Connection;
  history(): Promise<readonly Message[]>;
}

/**
 * Opens the session of a `Harness`. Its tools are neither judged nor confined.
 * @throws HarnessError if it cannot be opened.
 */
export async function openConversation(
  sources: ConversationSources,
  history: readonly Message[],
): Promise<OpenConversation> {
  try {
    return await open(sources, history);
  } catch (thrown) {
    // The steps of an engine mean nothing to a program with one conversation.
    throw thrown instanceof BootFailure ? thrown.cause : thrown;
  }
}

async function open(sources: ConversationSources, history: readonly Message[]): Promise<OpenConversation> {
  const { config, world, model, library, tellResults, onBlock, plugins } = sources;
  const { maxTurns = PROMPT_ROUNDS_MAX, maxTokens = OUTPUT_TOKENS_MAX, timeoutMs, maxCostUsd } = config;
  const { provider, id } = model;
  const limits = {
    rounds: maxTurns,
    outputTokens: maxTokens,
    ...defined({ timeMs: timeoutMs, costUsd: maxCostUsd }),
  };
  const store = memorySessionStore(world.machine);
  await using undo = new AsyncDisposableStack();
  const sessions = undo.use(
    await openEmbeddedSessions({
      ...settingsOfSetup({ provider, model: id, limits }),
      ...{ world, provider, model: id, store, plugins, onBlock },
      prefix: "cinch-library-",
      attended: false,
      isGated: false,
      features: featureSet(
        embeddedFeatures(
          libraryFeature({ tools: library, systemPrompt: config.systemPrompt, watch: tellResults }),
        ),
      ),
    }),
  );
  const before = history.length === 0 ? undefined : await storeHistory(history, { world, model, store });
  const { connection } = sessions;
  const { id: session, logId } = await sessions.open(before);
  const opened = undo.move();
  return {
    session,
    connection,
    history: async () => validHistory((await store.messages(logId)).map(({ message }) => message)),
    async [Symbol.asyncDispose]() {
      await using _engine = opened;
      await connection.send({ kind: "EndSession", sessionId: session });
    },
  };
}

/** Writes a log that holds the conversation so far, for a session to continue. */
async function storeHistory(
  history: readonly Message[],
  { world, model, store }: Pick<ConversationSources, "world" | "model"> & { readonly store: SessionStore },
): Promise<LogId> {
  const { ids, machine, clock } = world;
  const [logId, session] = [ids.next("log"), ids.next("sess")];
  const createdAt = new Date(clock.now()).toISOString();
  const log = { logId, session, workingDir: "/", profile: ENGINE_PROFILE, model: model.id, createdAt };
  await using writer = await store.create(log, { pid: machine.pid, processStart: machine.processStart });
  await writer.append({ messages: history.map((message) => ({ after: 0, turn: 0, message })) }, "process");
  return logId;
}
