import { isAbsolute, join } from "node:path";
import { whileAlive } from "../../base/async/deadline.ts";
import type { CacheBudget } from "../../base/cache-budget.ts";
import { defined } from "../../base/defined.ts";
import { messageOf } from "../../base/errors.ts";
import type { World } from "../../base/world.ts";
import type { Credentials } from "../../credentials/credentials.ts";
import { keyVariables } from "../../credentials/env-keys.ts";
import type { HelperClient, HelperClientDependencies } from "../../credentials/helper/client.ts";
import type { StartedHelper } from "../../credentials/helper-on-demand.ts";
import { helperOnDemand } from "../../credentials/helper-on-demand.ts";
import { localCredentials } from "../../credentials/local-credentials.ts";
import { hostFetchThrough } from "../../platform/sockets/fetch.ts";
import type { Message } from "../../protocol/message.ts";
import type { KeyRing } from "../../providers/authorized-fetch.ts";
import type { ChosenModel, ModelPreferences } from "../../providers/choosing/choose-model.ts";
import { chooseModel } from "../../providers/choosing/choose-model.ts";
import { resolveModelId } from "../../providers/choosing/model-aliases.ts";
import { knownModel } from "../../providers/choosing/prices.ts";
import {
  allModels,
  conversationModels,
  findRoute,
  ROUTING_PROVIDER,
  splitModel,
} from "../../providers/choosing/route.ts";
import type { ProviderDependencies } from "../../providers/dialect/dialect-provider.ts";
import type { Medium, Price, Provider } from "../../providers/provider.ts";
import type { ProviderFactory } from "../../providers/registry.ts";
import { ProviderRegistry } from "../../providers/registry.ts";
import type { ProviderPauses } from "../../providers/retry/provider-pauses.ts";
import { providerPauses } from "../../providers/retry/provider-pauses.ts";
import { unknownProviderError } from "../../providers/unknown-provider.ts";
import { COPILOT_FAIL_OVER, prefersVertex, vertexLocation } from "../../providers/vendor-settings.ts";
import { keyNeeds, LOCAL_SERVERS } from "../../providers/vendors.ts";
import type { Config } from "../../session/settings/settings.ts";
import { rawDump } from "./raw-dump.ts";

const REPLAY = "replay";
const COPILOT = "copilot";
/** The scripted model of the profile of the same name: its code is loaded with its first use. */
const CONFORMANCE = "conformance";
/** Providers that `choose` knows besides those of the vendors; none of them has a key. */
export const KEYLESS_PROVIDERS: readonly string[] = [REPLAY, CONFORMANCE, ROUTING_PROVIDER];
const FREE: Price = { input: 0, output: 0 };

export interface ProvidersOptions {
  readonly world: World;
  readonly config: Config;
  /** Budget that all caches of the engine share. */
  readonly caches: CacheBudget;
  readonly environment: Readonly<Record<string, string>>;
  readonly cacheDirectory: string;
  /** Directory of the machine key. */
  readonly configDirectory: string;
  /** Process that holds the keys; absent: this one does. */
  readonly helper?: HelperClient;
  /** Starts that process when the first key is stored. Absent: none can be stored. */
  readonly startHelper?: () => Promise<StartedHelper>;
  readonly insecureDevKey?: boolean;
  /** File for a dump of the traffic; absent: no dump. */
  readonly rawDump?: string;
  /** True if a recorded model speaks at a pace that people can follow. */
  readonly paced: boolean;
}

/** Every model provider that can be used here: the vendors, the user's own, local servers, cassettes. */
export interface Providers {
  readonly registry: ProviderRegistry;
  readonly keys: KeyRing;
  /** Use of keys, key of the log, and state of the helper. */
  readonly credentials: Credentials;
  /** Waits that a provider asked for: one of them delays every session of this engine. */
  readonly pauses: ProviderPauses;
  /** Variables that hold keys: no child gets them. */
  readonly secretVariables: readonly string[];
  /** Returns the providers that the user has set up: with a key, in config.toml, or by a plugin. */
  configured(): Promise<readonly string[]>;
  /** Returns the model servers that answer on this machine now. */
  localServers(signal: AbortSignal): Promise<readonly string[]>;
  /** Adds a provider of a plugin: it needs no key of ours. */
  extend(name: string, open: ProviderFactory): void;
  choose(asked: string | undefined, instead: Preferences, signal: AbortSignal): Promise<ChosenModel>;
  /** Opens the provider of a chosen model. */
  open(chosen: Pick<ChosenModel, "provider" | "model">, session: SessionValues): Promise<Provider>;
  /**
   * Returns the price of a model as known now: from the user's settings, then its catalogue, then the published table.
   */
  priceOf(provider: string, model: string): Price | undefined;
  /** Returns the tokens of a model's window, if a catalogue or the published table names them. */
  contextTokensOf(provider: string, model: string): number | undefined;
  /** Returns true if a model is known not to accept such content; of a route, if none of its models does. */
  refuses(provider: string, model: string, content: Medium): Promise<boolean>;
  /** Returns words for content that a model cannot take, as `EngineModels` says. */
  leftOutOf(provider: string, model: string, messages: readonly Message[]): Promise<readonly string[]>;
  /** Looks the price up in the provider's catalogue if nothing else names it. A failure is logged. */
  learnPrice(provider: string, model: string, signal: AbortSignal): Promise<void>;
}

/** Models to choose from if none was asked for. */
export type Preferences = Pick<ModelPreferences, "preferred" | "suggested">;

export function openProviders(options: ProvidersOptions): Providers {
  const { world, config, caches, cacheDirectory } = options;
  const customs = config.providers;
  const credentials = credentialsOf(options);
  const { keys, send: signed } = credentials;
  const send =
    options.rawDump === undefined
      ? signed
      : rawDump(signed, { world, path: options.rawDump, logKey: credentials.logKey });
  const registry = registerAll(options, { world, send, caches, cacheDirectory });
  const plugged: string[] = [];
  const facts = new ModelFacts(config, registry, world);

  return {
    registry,
    keys,
    credentials,
    pauses: providerPauses(),
    secretVariables: keyVariables(customs),
    async configured() {
      const keyed = await keys.providers();
      const keyless = customs.filter(({ apiKeyEnv }) => apiKeyEnv === undefined).map(({ name }) => name);
      return [...new Set([...keyed, ...keyless, ...plugged])];
    },
    async localServers(signal) {
      const { discoverLocal } = await import("../../providers/local/local.ts");
      return (await discoverLocal(world, signal)).map(({ name }) => name);
    },
    extend(name, open) {
      registry.register(name, open);
      plugged.push(name);
    },
    async choose(asked, instead, signal) {
      return await chooseModel({
        keyed: await whileAlive(keys.providers(), signal),
        customs,
        keyless: [...KEYLESS_PROVIDERS, ...plugged],
        prefersVertex: prefersVertex(options.environment),
        ...defined({ requested: asked }),
        ...instead,
        async discoverLocal() {
          const { discoverLocal } = await import("../../providers/local/local.ts");
          return await discoverLocal(world, signal);
        },
      });
    },
    async open({ provider, model }, session) {
      if (provider === REPLAY) return await openReplay(model, options, session);
      if (provider === COPILOT) return await openCopilot(registry, keys, config);
      if (provider === ROUTING_PROVIDER) return await openRoute(model, session, this, config);
      if (provider !== CONFORMANCE) return await registry.open(provider);
      return (await import("../../providers/conformance/conformance.ts")).conformanceProvider();
    },
    priceOf: (provider, model) => facts.priceOf(provider, model),
    contextTokensOf: (provider, model) => facts.contextTokensOf(provider, model),
    refuses: (provider, model, content) => facts.refuses(provider, model, content),
    leftOutOf: (provider, model, messages) => facts.leftOutOf(provider, model, messages),
    learnPrice: (provider, model, signal) => facts.learnPrice(provider, model, signal),
  };
}

/** Prices and windows of models: from the user's settings, the catalogues read so far, and the published table. */
class ModelFacts {
  readonly #config: Config;
  readonly #registry: ProviderRegistry;
  readonly #log: World["log"];
  readonly #prices = new Map<string, Price>();
  readonly #windows = new Map<string, number>();

  constructor(config: Config, registry: ProviderRegistry, { log }: Pick<World, "log">) {
    this.#config = config;
    this.#registry = registry;
    this.#log = log;
  }

  priceOf(provider: string, model: string): Price | undefined {
    if (provider === CONFORMANCE) return FREE;
    const name = `${provider}:${model}`;
    return this.#config.prices.get(name) ?? this.#prices.get(name) ?? knownModel(provider, model)?.price;
  }

  contextTokensOf(provider: string, model: string): number | undefined {
    if (provider !== ROUTING_PROVIDER)
      return this.#windows.get(`${provider}:${model}`) ?? knownModel(provider, model)?.contextTokens;
    const route = this.#config.routes.find(({ name }) => name === model);
    const known = (route === undefined ? [] : conversationModels(route)).flatMap((each) => {
      const named = splitModel(each);
      return this.contextTokensOf(named.provider, named.model) ?? [];
    });
    return known.length === 0 ? undefined : Math.max(...known);
  }

  async refuses(provider: string, model: string, content: Medium): Promise<boolean> {
    if (provider === ROUTING_PROVIDER) {
      const route = this.#config.routes.find(({ name }) => name === model);
      const models = (route === undefined ? [] : conversationModels(route)).map(splitModel);
      const all = await Promise.all(models.map((each) => this.refuses(each.provider, each.model, content)));
      return all.length > 0 && !all.includes(false);
    }
    if (!this.#registry.names().includes(provider)) return false;
    const { known, carriesNo = [] } = await this.#registry.open(provider);
    if (carriesNo.includes(content)) return true;
    const listed = (await known?.())?.find(({ id }) => id === model);
    const takes = listed?.takes ?? knownModel(provider, model)?.takes;
    return takes !== undefined && !takes.includes(content);
  }

  async leftOutOf(provider: string, model: string, messages: readonly Message[]): Promise<readonly string[]> {
    if (provider === ROUTING_PROVIDER) {
      const route = this.#config.routes.find(({ name }) => name === model);
      const models = (route === undefined ? [] : conversationModels(route)).map(splitModel);
      const all = await Promise.all(
        models.map((each) => this.leftOutOf(each.provider, each.model, messages)),
      );
      return all.some((words) => words.length === 0) ? [] : (all[0] ?? []);
    }
    if (!this.#registry.names().includes(provider)) return [];
    return (await (await this.#registry.open(provider)).leavesOut?.({ model, messages })) ?? [];
  }

  async learnPrice(provider: string, model: string, signal: AbortSignal): Promise<void> {
    if (this.priceOf(provider, model) !== undefined) return;
    try {
      const models = await (await this.#registry.open(provider)).models(signal);
      for (const { id, price, contextTokens } of models) {
        if (price !== undefined) this.#prices.set(`${provider}:${id}`, price);
        if (contextTokens !== undefined) this.#windows.set(`${provider}:${id}`, contextTokens);
      }
    } catch (thrown) {
      if (signal.aborted) throw signal.reason;
      this.#log.for(`provider.${provider}`).write("warn", "no prices", { what: messageOf(thrown) });
    }
  }
}

function credentialsOf(options: ProvidersOptions): Credentials {
  const { world, config, environment, configDirectory, helper, startHelper } = options;
  const { insecureDevKey = false } = options;
  const customs = config.providers;
  const { fetch, random, clock } = world;
  const ofHelper: HelperClientDependencies = {
    fetch,
    fetchThrough: hostFetchThrough,
    needsOf: (provider) => keyNeeds(provider, customs),
  };
  if (helper !== undefined) return helper.credentials(ofHelper);
  const { vertex, copilot } = config;
  const settings = defined({ vertex, copilot });
  const dependencies = { environment, customs, fetch, random, clock, settings };
  const local = localCredentials({ ...dependencies, directory: configDirectory, insecureDevKey });
  return startHelper === undefined
    ? local
    : helperOnDemand(local, { ...ofHelper, customs, start: startHelper });
}

/** Registers all providers. Each one's code is loaded when it is first used. */
function registerAll(options: ProvidersOptions, dependencies: ProviderDependencies): ProviderRegistry {
  const registry = new ProviderRegistry();
  registry.register("anthropic", async () =>
    (await import("../../providers/anthropic/anthropic.ts")).anthropicProvider(dependencies),
  );
  registry.register("openai", async () =>
    (await import("../../providers/openai/openai.ts")).openAiProvider(dependencies),
  );
  registry.register("openrouter", async () =>
    (await import("../../providers/openrouter/openrouter.ts")).openRouterProvider(dependencies),
  );
  registry.register("zai", async () =>
    (await import("../../providers/zai/zai.ts")).zaiProvider(dependencies),
  );
  registry.register("vertex", async () => {
    const { vertex } = options.config;
    const place = vertexLocation(options.environment, vertex);
    const baseUrl = vertex?.baseUrl === undefined ? {} : { baseUrl: vertex.baseUrl };
    return (await import("../../providers/vertex/vertex.ts")).vertexProvider(
      { ...place, ...baseUrl },
      dependencies,
    );
  });
  registry.register(COPILOT, async () =>
    (await import("../../providers/copilot/copilot.ts")).copilotProvider(
      options.config.copilot ?? {},
      dependencies,
    ),
  );
  for (const server of LOCAL_SERVERS) {
    registry.register(server.name, async () =>
      (await import("../../providers/local/local.ts")).localProvider(server, dependencies),
    );
  }
  for (const provider of options.config.providers) {
    registry.register(provider.name, async () =>
      (await import("../../providers/custom/custom.ts")).customProvider(provider, dependencies),
    );
  }
  return registry;
}

/** Opens Copilot, with OpenRouter as its fallback if that has a key, and the user wants it. */
async function openCopilot(registry: ProviderRegistry, keys: KeyRing, config: Config): Promise<Provider> {
  const provider = await registry.open(COPILOT);
  const isOwn = config.providers.some(({ name }) => name === COPILOT);
  if (isOwn || !(config.copilot?.failOver ?? COPILOT_FAIL_OVER)) return provider;
  const { withOpenRouterFallback } = await import("../../providers/copilot/openrouter-fallback.ts");
  return withOpenRouterFallback(provider, async () =>
    (await keys.providers()).includes("openrouter") ? await registry.open("openrouter") : undefined,
  );
}

/** Opens a route as one provider; each session has its own, as its replays do. */
async function openRoute(
  name: string,
  session: SessionValues,
  providers: Pick<Providers, "open" | "registry">,
  { routes }: Config,
): Promise<Provider> {
  const route = findRoute(routes, name);
  const known = [...providers.registry.names(), ...KEYLESS_PROVIDERS];
  for (const model of allModels(route)) {
    const { provider } = splitModel(model);
    if (!known.includes(provider))
      throw unknownProviderError(
        provider,
        known,
        ` (it stands in "${model}", under [routing.${name}] of config.toml)`,
      );
  }
  const { routingProvider } = await import("../../providers/routing/routing.ts");
  const opened = new Map<string, Promise<Provider>>();
  const composed = routingProvider({
    routes,
    async executor(text) {
      const { provider, model } = splitModel(text);
      const id = provider === "anthropic" ? resolveModelId(model, []).id : model;
      const opening = opened.get(text) ?? providers.open({ provider, model: id }, session);
      opened.set(text, opening);
      return { provider: await opening, model: id };
    },
  });
  return composed;
}

/** Values that a recorded model needs of its session. */
export interface SessionValues {
  readonly workingDir: string;
  readonly scratch: string;
}

/** Opens a model that plays the cassette which `replay:PATH` names. Each session has its own. */
async function openReplay(
  path: string,
  options: ProvidersOptions,
  session: SessionValues,
): Promise<Provider> {
  const { world, environment, paced } = options;
  const { readCassette } = await import("../../providers/replay/read-cassette.ts");
  const { replayProvider } = await import("../../providers/replay/replay.ts");
  const { workingDir: cwd, scratch } = session;
  const cassette = await readCassette(world, isAbsolute(path) ? path : join(cwd, path));
  return replayProvider({
    world,
    cassette,
    values: { cwd, scratch, home: environment["HOME"] ?? "" },
    paced,
  });
}
