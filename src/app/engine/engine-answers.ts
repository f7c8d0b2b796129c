import { version } from "../../../package.json";
import type { CacheBudget } from "../../base/cache-budget.ts";
import { defined } from "../../base/defined.ts";
import { HarnessError } from "../../base/errors.ts";
import type { SessionId } from "../../base/ids.ts";
import { EMBEDDED } from "../../config/profile-files.ts";
import { hostRipgrep } from "../../platform/ripgrep.ts";
import type { QueryKind } from "../../protocol/kinds.ts";
import { EXPIRING_LISTED_MAX } from "../../protocol/queries/session-queries.ts";
import type { ModelInfo, ProfileInfo, ToolInfo } from "../../protocol/resources.ts";
import { knownModel } from "../../providers/choosing/prices.ts";
import type { Model, Price } from "../../providers/provider.ts";
import { unknownProviderError } from "../../providers/unknown-provider.ts";
import type { Redactor } from "../../safety/redact.ts";
import type { Multiplexer } from "../../server/hub/multiplexer.ts";
import type { NewsSource } from "../../server/hub/news/news.ts";
import { completionQueries } from "../../server/hub/queries/completion-queries.ts";
import { engineQueries } from "../../server/hub/queries/engine-queries.ts";
import { sessionQueries } from "../../server/hub/queries/session-queries.ts";
import { EVERYTHING } from "../../session/access/scope.ts";
import type { QueryHandler, QueryHandlers } from "../../session/commands/query-handlers.ts";
import type { EnginePort } from "../../session/engine-port.ts";
import type { StoredQueryHost } from "../../session/feature.ts";
import type { EngineHost } from "../../session/host.ts";
import type { Config, Profile } from "../../session/settings/settings.ts";
import type { SessionStore } from "../../session/store/store.ts";
import { BackgroundRuns } from "../../tools/bash/background-runs.ts";
import type { HealthSources } from "../doctor/health.ts";
import { engineHealth } from "../doctor/health.ts";
import { listedPrices, priceInfo } from "../models/listed-prices.ts";
import { listedProviders, usableModel } from "../models/listed-providers.ts";
import type { Providers } from "../models/providers.ts";
import type { FeatureSet } from "../plan/feature-set.ts";
import { namedProfile, profilesOf } from "../plan/settings.ts";
import { builtinTools } from "../session/chains/builtins.ts";
import { commandInfo, commandsWith } from "../slash/slash-commands.ts";
import type { LiveSessions } from "./live-sessions.ts";
import { firstOfEachName, toolInfos } from "./live-sessions.ts";
import type { HarnessOptions } from "./options.ts";

export interface EngineAnswersDependencies {
  readonly options: HarnessOptions;
  readonly config: Config;
  readonly caches: CacheBudget;
  readonly providers: Providers;
  readonly store: SessionStore;
  readonly multiplexer: Multiplexer;
  readonly offered: LiveSessions;
  readonly startedAt: string;
  readonly health: HealthSources;
  readonly host: EngineHost;
  /** Returns the redactor for stored sessions. */
  readonly secrets: () => Promise<Redactor>;
}

export interface EngineAnswers extends Pick<EnginePort, "engineId" | "log"> {
  readonly handlers: QueryHandlers;
  readonly news: NewsSource;
}

const ENGINE_ID_BYTES = 16;

/** Returns the handlers of one engine's queries, and a reader of any session's log. */
export function engineAnswers(parts: EngineAnswersDependencies): EngineAnswers {
  const { options, caches, providers, store, multiplexer, offered, startedAt } = parts;
  const { world, paths, features } = options;
  const engineId = Buffer.from(world.random.bytes(ENGINE_ID_BYTES)).toString("hex");
  const live = () => multiplexer.sessions;
  const sessions = sessionAnswers(parts);
  const engine = engineQueries({
    world,
    store,
    version,
    caches,
    engineId,
    startedAt,
    live,
    async profiles() {
      const names = await profilesOf({ world, paths });
      // A profile that cannot be read is listed all the same: `GetProfile` says why.
      return names.map(({ name, isOwn }): ProfileInfo => ({ name, source: isOwn ? "user" : "embedded" }));
    },
    async profile(name) {
      const known = await profilesOf({ world, paths });
      // By its name only: a path would read any file that a client names.
      if (!known.some((each) => each.name === name)) return undefined;
      return profileInfo(await namedProfile({ world, paths, features }, name), features);
    },
    providers: () => listedProviders(parts),
    usableModel: (signal) => usableModel(parts, signal),
    async models(provider, signal) {
      const known = providers.registry.names();
      if (!known.includes(provider)) throw unknownProviderError(provider, known);
      const models = await (await providers.registry.open(provider)).models(signal);
      return models.map((model) =>
        modelInfo(provider, model, providers.priceOf(provider, model.id) ?? model.price),
      );
    },
    tools: (of) =>
      typeof of === "string"
        ? offered.tools(of)
        : firstOfEachName([...builtinToolInfos(paths.data), ...offered.tools(of)]),
    skills: (of) => offered.skills(of),
    mcpServers: (of) => offered.mcpServers(of),
    shipped: commandsWith(features.features)
      .map(commandInfo)
      .filter(({ name }) => name !== "web"), // `GetWebClient` answers without one
    slashCommands: (of) => offered.slashCommands(of),
    aliasProblems: (session) => offered.aliasProblems(session),
  });
  const engineHandlers: QueryHandlers = {
    async FindSession({ text, sessionId }, { scope = EVERYTHING }) {
      const { findSession } = await import("../sessions/find.ts");
      const directory = sessionId === undefined ? undefined : (await store.find(sessionId))?.workingDir;
      const found = await findSession(text, store, directory ?? "");
      return await sessions.infos.of(found, { scope });
    },
    ListPrices: async ({ models }) => ({ prices: listedPrices(models, providers.priceOf.bind(providers)) }),
    GetEngineHealth: async () => await engineHealth(parts.health),
    GetWebClient: async () => ({}),
    async ListExpiring() {
      const { expiringSessions } = await import("../sessions/expiry-warning.ts");
      const sources = { world, paths, config: parts.config, store, features };
      const { sessions: all, dismissed } = await expiringSessions(sources);
      return { sessions: all.slice(0, EXPIRING_LISTED_MAX), total: all.length, dismissed };
    },
  };
  const handlers = { ...sessions.handlers, ...engine, ...engineHandlers };
  const ofSession = ({ sessionId }: { readonly sessionId: SessionId }) =>
    offered.find(sessionId)?.lists.completes;
  const completion = completionQueries({ world, caches, ask: multiplexer.query, ofSession });
  const stored = storedQueries(features, {
    ...parts.host,
    redactor: parts.secrets,
    tree: async () => (await import("../../platform/files/tree.ts")).hostTree,
  });
  const { log, news } = sessions;
  return { handlers: { ...stored, ...handlers, ...completion }, log, news, engineId };
}

/** Returns the handlers of the queries about sessions, their news, and a reader of their logs. */
function sessionAnswers({
  options,
  config,
  caches,
  providers,
  store,
  multiplexer,
}: EngineAnswersDependencies): ReturnType<typeof sessionQueries> {
  const { world, paths, features } = options;
  return sessionQueries({
    ...{ world, store, caches, live: () => multiplexer.sessions },
    running: (id) => multiplexer.runningSession(id),
    whenThere: (id) => multiplexer.whenThere(id),
    contextWindowOf(model) {
      const [provider = "", ...id] = model.split(":");
      return providers.contextTokensOf(provider, id.join(":"));
    },
    async ttlDaysOf(profile) {
      const { ttlDaysOf } = await import("../sessions/retention/sweep.ts");
      return await ttlDaysOf({ world, paths, config, features }, profile);
    },
  });
}

/**
 * Returns the handlers of the features for stored sessions. Those of a feature are loaded once, at the first query:
 * what they share among their callers lives there.
 */
function storedQueries({ features }: FeatureSet, host: StoredQueryHost): QueryHandlers {
  const entries = features.flatMap(({ stored }) => {
    const { kinds = [], load } = stored?.queries ?? {};
    const loaded = once(async () => (await load?.(host)) ?? {});
    return kinds.map((kind) => [kind, storedQuery(kind, loaded)] as const);
  });
  return Object.fromEntries(entries);
}

/** Returns a loader that loads once; after a failure the next call tries again. */
function once<Loaded>(load: () => Promise<Loaded>): () => Promise<Loaded> {
  let loading: Promise<Loaded> | undefined;
  return () => {
    loading ??= load().catch((thrown: unknown) => {
      loading = undefined;
      throw thrown;
    });
    return loading;
  };
}

function storedQuery<Kind extends QueryKind>(
  kind: Kind,
  load: () => Promise<QueryHandlers>,
): QueryHandler<Kind> {
  return async (query, asking) => {
    const handlers: { readonly [Each in Kind]?: QueryHandler<Each> } = await load();
    const handler = handlers[kind];
    if (handler === undefined)
      throw new HarnessError("InvalidQuery", { kind, why: "nothing here answers it" });
    return await handler(query, asking);
  };
}

/** Describes a model by its catalogue, and by the published table where that says nothing. */
function modelInfo(provider: string, listed: Model, price: Price | undefined): ModelInfo {
  const { id, name, contextTokens, outputTokensMax, takes, thinks, efforts } = {
    ...knownModel(provider, listed.id),
    ...listed,
  };
  return {
    id,
    ...defined({ name, context_tokens: contextTokens, output_tokens_max: outputTokensMax }),
    ...(takes === undefined ? {} : { accepts: ["text" as const, ...takes] }),
    ...defined({ thinking: thinks, efforts }),
    ...(price === undefined ? {} : { price: priceInfo(price) }),
  };
}

function profileInfo(profile: Profile, { features }: FeatureSet): ProfileInfo {
  const { name, path, defaultModel, permissions } = profile;
  const { level, strict, rules } = permissions;
  const fields = features.flatMap((feature) => Object.entries(feature.offers?.profile?.(profile) ?? {}));
  const ofFeatures: Partial<ProfileInfo> = Object.fromEntries(fields);
  return {
    name,
    source: path.startsWith(EMBEDDED) ? "embedded" : "user",
    ...defined({ default_model: defaultModel }),
    tool_packs: [...profile.toolPacks],
    plugins: [...profile.plugins],
    permissions: {
      ...defined({ level, strict }),
      rules: rules.map(({ effect, text }) => ({ effect, rule: text })),
    },
    ...ofFeatures,
  };
}

function builtinToolInfos(dataDirectory: string): readonly ToolInfo[] {
  const runs = new BackgroundRuns(() => undefined); // nothing is run here
  const source = builtinTools({ runs, ripgrep: hostRipgrep(dataDirectory) });
  return toolInfos(source.tools().map((tool) => ({ tool, source: source.name })));
}
