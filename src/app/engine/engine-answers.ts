import { version } from "../../../package.json";
import type { CacheBudget } from "../../base/cache-budget.ts";
import { defined } from "../../base/defined.ts";
import type { SessionId } from "../../base/ids.ts";
import { EMBEDDED } from "../../config/profile-files.ts";
import { hostRipgrep } from "../../platform/ripgrep.ts";
import type { ModelInfo, ProfileInfo, ToolInfo } from "../../protocol/resources.ts";
import { knownModel } from "../../providers/choosing/prices.ts";
import type { Model, Price } from "../../providers/provider.ts";
import { unknownProviderError } from "../../providers/unknown-provider.ts";
import type { Multiplexer } from "../../server/hub/multiplexer.ts";
import { completionQueries } from "../../server/hub/queries/completion-queries.ts";
import { engineQueries } from "../../server/hub/queries/engine-queries.ts";
import { sessionQueries } from "../../server/hub/queries/session-queries.ts";
import type { QueryHandlers } from "../../session/commands/query-handlers.ts";
import type { EnginePort } from "../../session/engine-port.ts";
import type { Config, Profile } from "../../session/settings/settings.ts";
import type { SessionStore } from "../../session/store/store.ts";
import { BackgroundRuns } from "../../tools/bash/background-runs.ts";
import type { HealthSources } from "../doctor/health.ts";
import { engineHealth } from "../doctor/health.ts";
import { listedPrices, priceInfo } from "../models/listed-prices.ts";
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
}

export interface EngineAnswers extends Pick<EnginePort, "engineId" | "log"> {
  readonly handlers: QueryHandlers;
}

const ENGINE_ID_BYTES = 16;

/** Returns the handlers of one engine's queries, and a reader of any session's log. */
export function engineAnswers(parts: EngineAnswersDependencies): EngineAnswers {
  const { options, caches, providers, store, multiplexer, offered, startedAt } = parts;
  const { world, paths, features } = options;
  const engineId = Buffer.from(world.random.bytes(ENGINE_ID_BYTES)).toString("hex");
  const live = () => multiplexer.sessions;
  const sessions = sessionQueries({
    store,
    live,
    attachedBy: (id) => multiplexer.attachedBy(id),
    whenThere: (id) => multiplexer.whenThere(id),
    askedSince: (id) => multiplexer.askedSince(id),
    lastShown: (id) => multiplexer.lastShown(id),
  });
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
    async providers() {
      const configured = new Set(await providers.configured());
      return providers.registry.names().map((name) => ({ name, configured: configured.has(name) }));
    },
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
    async FindSession({ text, sessionId }) {
      const { findSession } = await import("../sessions/find.ts");
      const directory = sessionId === undefined ? undefined : (await store.find(sessionId))?.workingDir;
      return sessions.infoOf(await findSession(text, store, directory ?? ""));
    },
    ListPrices: async ({ models }) => ({ prices: listedPrices(models, providers.priceOf.bind(providers)) }),
    GetEngineHealth: async () => await engineHealth(parts.health),
    GetWebClient: async () => ({}),
  };
  const handlers = { ...sessions.handlers, ...engine, ...engineHandlers };
  const ofSession = ({ sessionId }: { readonly sessionId: SessionId }) =>
    offered.find(sessionId)?.lists.completes;
  const completion = completionQueries({ world, caches, ask: multiplexer.query, ofSession });
  return { handlers: { ...handlers, ...completion }, log: sessions.log, engineId };
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
