import { join } from "node:path";
import { version } from "../../../package.json";
import type { CacheBudget } from "../../base/cache-budget.ts";
import type { Config } from "../../config/config.ts";
import type { Profile } from "../../config/profile.ts";
import { loadProfile } from "../../config/profile.ts";
import { EMBEDDED, listProfiles } from "../../config/profile-files.ts";
import { hostRipgrep } from "../../platform/ripgrep.ts";
import type { ModelInfo, PriceInfo, ProfileInfo, ToolInfo } from "../../protocol/resources.ts";
import type { Model, Price } from "../../providers/provider.ts";
import { unknownProvider } from "../../providers/unknown-provider.ts";
import { openCatalogue } from "../../server/hub/catalogue.ts";
import { connectInproc } from "../../server/hub/inproc.ts";
import type { Multiplexer } from "../../server/hub/multiplexer.ts";
import type { EnginePort } from "../../session/engine-port.ts";
import type { Served } from "../../session/handshake.ts";
import type { HarnessOptions } from "../../session/plan/options.ts";
import type { OfferedBySessions } from "../../session/session-offers.ts";
import { firstOfEachName, toolInfos } from "../../session/session-offers.ts";
import type { SessionStore } from "../../session/store/store.ts";
import { BackgroundRuns } from "../../tools/bash/background-runs.ts";
import type { Providers } from "../models/providers.ts";
import { builtinTools } from "../session/builtins.ts";

export interface EnginePortParts {
  readonly options: HarnessOptions;
  readonly config: Config;
  readonly caches: CacheBudget;
  readonly providers: Providers;
  readonly store: SessionStore;
  readonly multiplexer: Multiplexer;
  readonly offered: OfferedBySessions;
  readonly served: Served;
  /** What the wires add to the engine's own features. */
  readonly features: readonly string[];
}

/** What wires meet of one engine: its commands and events, and what there is to look at. */
export function enginePort(parts: EnginePortParts): EnginePort {
  const { options, caches, providers, store, multiplexer, offered } = parts;
  const { world, paths } = options;
  const served = { ...parts.served, features: [...new Set([...parts.served.features, ...parts.features])] };
  const profiles = join(paths.config, "profiles");
  return {
    served,
    attach: (request) => connectInproc(multiplexer, request, served),
    catalogue: openCatalogue({
      world,
      store,
      version,
      caches,
      live: () => multiplexer.sessions,
      whenThere: (id) => multiplexer.whenThere(id),
      askedSince: (id) => multiplexer.askedSince(id),
      async profiles() {
        const names = await listProfiles(world, profiles);
        // One that cannot be read is listed all the same: whoever asks for it is told why.
        return names.map(({ name, isOwn }): ProfileInfo => ({ name, source: isOwn ? "user" : "embedded" }));
      },
      async profile(name) {
        const known = await listProfiles(world, profiles);
        // By its name alone: a path would read whatever file a client likes.
        if (!known.some((each) => each.name === name)) return undefined;
        return profileInfo(await loadProfile(world, name, profiles));
      },
      async providers() {
        const configured = new Set(await providers.configured());
        return providers.registry.names().map((name) => ({ name, configured: configured.has(name) }));
      },
      async models(provider, signal) {
        const known = providers.registry.names();
        if (!known.includes(provider)) throw unknownProvider(provider, known);
        const models = await (await providers.registry.open(provider)).models(signal);
        return models.map((model) => modelInfo(model, providers.priceOf(provider, model.id) ?? model.price));
      },
      tools: async (session, among) =>
        session === undefined
          ? firstOfEachName([...builtinToolInfos(paths.data), ...offered.tools(among)])
          : offered.tools(session),
      skills: (among) => offered.skills(among),
      mcpServers: (among) => offered.mcpServers(among),
      slashCommands: (of) => offered.slashCommands(of),
    }),
  };
}

function modelInfo({ id, name, contextTokens, outputTokensMax }: Model, price: Price | undefined): ModelInfo {
  return {
    id,
    ...(name === undefined ? {} : { name }),
    ...(contextTokens === undefined ? {} : { context_tokens: contextTokens }),
    ...(outputTokensMax === undefined ? {} : { output_tokens_max: outputTokensMax }),
    ...(price === undefined ? {} : { price: priceInfo(price) }),
  };
}

function priceInfo({ input, output, cacheRead, cacheWrite }: Price): PriceInfo {
  return {
    input,
    output,
    ...(cacheRead === undefined ? {} : { cache_read: cacheRead }),
    ...(cacheWrite === undefined ? {} : { cache_write: cacheWrite }),
  };
}

function profileInfo(profile: Profile): ProfileInfo {
  const { name, path, defaultModel, mcpServers, permissions } = profile;
  const { level, strict, rules } = permissions;
  return {
    name,
    source: path.startsWith(EMBEDDED) ? "embedded" : "user",
    ...(defaultModel === undefined ? {} : { default_model: defaultModel }),
    context_sources: [...profile.contextSources],
    tool_packs: [...profile.toolPacks],
    skill_packs: [...profile.skillPacks],
    mcp_servers: mcpServers.map((server) => ({
      name: server.name,
      transport: server.transport,
      ...(server.discovery === undefined ? {} : { discovery: server.discovery }),
      pinned: server.transport === "stdio" && server.sha256 !== undefined,
    })),
    plugins: [...profile.plugins],
    permissions: {
      ...(level === undefined ? {} : { level }),
      ...(strict === undefined ? {} : { strict }),
      rules: rules.map(({ effect, text }) => ({ effect, rule: text })),
    },
    allow_project_hooks: profile.allowProjectHooks,
  };
}

function builtinToolInfos(dataDirectory: string): readonly ToolInfo[] {
  const runs = new BackgroundRuns(() => undefined); // nothing is run here
  const source = builtinTools({ runs, ripgrep: hostRipgrep(dataDirectory) });
  return toolInfos(source.tools().map((tool) => ({ tool, source: source.name })));
}
