import { HarnessError } from "../../base/errors.ts";
import { unknownProviderError } from "../unknown-provider.ts";
import type { CustomProvider } from "../vendors.ts";
import { keyNeeds, LOCAL_SERVERS, VENDORS } from "../vendors.ts";
import { resolveModelId } from "./model-aliases.ts";
import { knownModel } from "./prices.ts";

/** Inputs of the model choice, in order of precedence. */
export interface ModelPreferences {
  /** `--model`: `provider:name`, or a name that only one provider has. */
  readonly requested?: string;
  /** Models that the session, the user and the profile prefer, in order of precedence. */
  readonly preferred?: readonly string[];
  /**
   * Model that an embedded profile suggests if the user named none. Nobody asked for it, so its missing key is
   * reported only if no model is found.
   */
  readonly suggested?: string;
  /** Providers that have a key now. */
  readonly keyed: readonly string[];
  readonly customs: readonly CustomProvider[];
  /** Further providers that can be opened and need no key: a replay, a provider of a plugin. */
  readonly keyless?: readonly string[];
  /** True if a bare Claude model name means Claude on Vertex AI. */
  readonly prefersVertex?: boolean;
  /** Looks for model servers on this machine. Called only if nothing else is configured. */
  discoverLocal(): Promise<readonly { readonly name: string; readonly models: readonly string[] }[]>;
}

export interface ChosenModel {
  readonly provider: string;
  readonly model: string;
  /** A sentence for the user. Set if the model is not the one that they or their profile named. */
  readonly notice?: string;
}

/**
 * Chooses the model of a session (PROF-01): the requested one, else the first preferred one that can be used. Else it
 * takes the first provider that has a key, else the first server on this machine.
 *
 * A default whose provider has no key is skipped, and the notice says so. A requested model is never replaced.
 * @throws HarnessError UnknownProvider, UsageInvalid for a name without a provider, ProviderKeyMissing if the
 * requested model has no key, NoModel if no model is found.
 */
export async function chooseModel(wishes: ModelPreferences): Promise<ChosenModel> {
  if (wishes.requested !== undefined)
    return chosenModel(assertUsable(parseModel(wishes.requested, wishes), wishes));
  const passedOver: SkippedModel[] = [];
  for (const wish of wishes.preferred ?? []) {
    const model = parseModel(wish, wishes);
    if (isUsable(model.provider, wishes)) return chosenModel(model, fallbackNotice(passedOver, model));
    passedOver.push({ model: wish, variable: variableOf(model.provider, wishes) });
  }
  const suggested = wishes.suggested === undefined ? undefined : parseModel(wishes.suggested, wishes);
  if (suggested !== undefined && isUsable(suggested.provider, wishes))
    return chosenModel(suggested, fallbackNotice(passedOver, suggested));
  const configured = firstConfigured(wishes);
  if (configured !== undefined) {
    return chosenModel(
      configured,
      fallbackNotice(passedOver, configured) ?? unsuggestedNotice(suggested, configured),
    );
  }
  const [server] = await wishes.discoverLocal();
  const [first] = server?.models ?? [];
  const gaps = missingSettings(wishes, passedOver);
  if (server !== undefined && first !== undefined) {
    const model = { provider: server.name, model: first };
    const why = gaps.length === 0 ? "no provider is configured" : gaps.join("; ");
    const notice = fallbackNotice(passedOver, model) ?? `Using ${nameOf(model)}, since ${why}.`;
    return { ...model, notice };
  }
  if (suggested === undefined || passedOver.length > 0 || gaps.length > 0)
    throw noModelError(passedOver, gaps);
  throw noModelError([], [], { model: nameOf(suggested), variable: variableOf(suggested.provider, wishes) });
}

/** A default that cannot be used, and the variable that would hold its provider's key. */
interface SkippedModel {
  readonly model: string;
  readonly variable: string;
}

/**
 * Returns the NoModel error: what the user's default lacks, or what each partly configured provider lacks (`gaps`),
 * or what the default of an embedded profile lacks (`suggested`), then every way to get a model.
 */
export function noModelError(
  passedOver: readonly SkippedModel[] = [],
  gaps: readonly string[] = [],
  suggested?: SkippedModel,
): HarnessError<"NoModel"> {
  const defaults = suggested === undefined ? [] : [suggested];
  const variables = [
    ...passedOver,
    ...defaults,
    ...VENDORS.flatMap(({ keyVariable: variable, defaultModel }) =>
      variable === undefined || defaultModel === undefined ? [] : [{ variable }],
    ),
  ];
  const lacks = [
    ...(passedOver.length === 0 ? [] : [`${needs(passedOver)}, and no key is there`]),
    ...gaps,
    ...defaults.map((model) => `the default ${needs([model])}, and nothing replaces it`),
  ];
  return new HarnessError("NoModel", {
    problem: lacks.length === 0 ? "is configured" : `can be used: ${lacks.join("; ")}`,
    variables: [...new Set(variables.map(({ variable }) => variable))].join(", "),
    servers: LOCAL_SERVERS.map(({ title }) => title).join(", "),
  });
}

/**
 * @throws HarnessError ProviderKeyMissing: at once, not with the first request.
 */
function assertUsable(model: ModelName, wishes: ModelPreferences): ModelName {
  const { provider } = model;
  if (isUsable(provider, wishes)) return model;
  const needs = keyNeeds(provider, wishes.customs) ?? { variable: "a key", kept: "" };
  throw new HarnessError("ProviderKeyMissing", { provider, ...needs });
}

interface ModelName {
  readonly provider: string;
  readonly model: string;
}

/** Splits at the first colon, since model names contain colons themselves (`llama3:8b`). */
function parseModel(text: string, wishes: ModelPreferences): ModelName {
  const colon = text.indexOf(":");
  const known = knownProviders(wishes);
  if (colon === -1) {
    const provider = providerOf(text, wishes);
    if (provider !== undefined) return { provider, model: text };
    const problem = known.includes(text)
      ? `the model ${text}: name a model of it too, as in ${text}:MODEL. List them with: cinch models`
      : `the model ${text}: name its provider too, as in provider:${text}. Known: ${known.join(", ")}`;
    throw new HarnessError("UsageInvalid", { problem });
  }
  const provider = text.slice(0, colon);
  const model = text.slice(colon + 1);
  if (!known.includes(provider)) throw unknownProviderError(provider, known);
  if (model !== "") return { provider, model };
  const problem = `the name of the model is missing behind "${text}": write ${text}MODEL. List them with: cinch models`;
  throw new HarnessError("UsageInvalid", { problem });
}

/** Finds the provider of `sonnet`, `claude-…`, or an id that exactly one vendor is known for. */
function providerOf(model: string, { keyed, prefersVertex = false }: ModelPreferences): string | undefined {
  if (/^(?:haiku|sonnet|opus)$|^claude-/.test(model)) {
    const isVertex = keyed.includes("vertex") && (prefersVertex || !keyed.includes("anthropic"));
    return isVertex ? "vertex" : "anthropic";
  }
  return VENDORS.find(({ name }) => knownModel(name, model) !== undefined)?.name;
}

function chosenModel({ provider, model }: ModelName, notice?: string): ChosenModel {
  const isClaude = provider === "anthropic" || provider === "vertex";
  const { id, note } = isClaude ? resolveModelId(model, []) : { id: model, note: undefined };
  const sentences = [notice, note].filter((sentence) => sentence !== undefined);
  return { provider, model: id, ...(sentences.length === 0 ? {} : { notice: sentences.join(" ") }) };
}

function fallbackNotice(passedOver: readonly SkippedModel[], model: ModelName): string | undefined {
  return passedOver.length === 0 ? undefined : `Using ${nameOf(model)}, since ${needs(passedOver)}.`;
}

function needs(passedOver: readonly SkippedModel[]): string {
  return passedOver.map(({ model, variable }) => `${model} needs ${variable}`).join(" and ");
}

function nameOf({ provider, model }: ModelName): string {
  return `${provider}:${model}`;
}

function unsuggestedNotice(suggested: ModelName | undefined, model: ModelName): string | undefined {
  if (suggested === undefined) return undefined;
  return `Using ${nameOf(model)}. Another: --model, or default_model in config.toml.`;
}

/** Names the missing variable or setting of each configured provider that cannot be the default. */
function missingSettings(
  { keyed, customs }: ModelPreferences,
  passedOver: readonly SkippedModel[],
): readonly string[] {
  const vendors = VENDORS.filter(
    ({ name, defaultModel }) => defaultModel === undefined && keyed.includes(name),
  ).map(
    ({ name }) => `${name} has a key, and is used only where a model of it is named: --model ${name}:NAME`,
  );
  const isNamed = (name: string) => passedOver.some(({ model }) => model.startsWith(`${name}:`));
  const others = customs.filter(({ name }) => !isNamed(name));
  const customServers = others.map(({ name, apiKeyEnv, defaultModel }) => {
    const lacks = [
      ...(apiKeyEnv === undefined || keyed.includes(name) ? [] : [`no key (set ${apiKeyEnv})`]),
      ...(defaultModel === undefined ? [`no default_model (add it, or use --model ${name}:NAME)`] : []),
    ];
    return `[providers.${name}] has ${lacks.join(" and ")}`;
  });
  return [...vendors, ...customServers];
}

function firstConfigured({ keyed, customs, prefersVertex = false }: ModelPreferences): ModelName | undefined {
  const first = prefersVertex ? VENDORS.filter(({ name }) => name === "vertex") : [];
  for (const { name, defaultModel } of [...first, ...VENDORS]) {
    if (keyed.includes(name) && defaultModel !== undefined) return { provider: name, model: defaultModel };
  }
  for (const custom of customs) {
    const isReady = custom.apiKeyEnv === undefined || keyed.includes(custom.name);
    if (isReady && custom.defaultModel !== undefined) {
      return { provider: custom.name, model: custom.defaultModel };
    }
  }
  return undefined;
}

function isUsable(provider: string, { keyed, customs, keyless = [] }: ModelPreferences): boolean {
  if (keyed.includes(provider) || keyless.includes(provider)) return true;
  const custom = customs.find(({ name }) => name === provider); // it shadows a server of the same name
  if (custom !== undefined) return custom.apiKeyEnv === undefined;
  return LOCAL_SERVERS.some(({ name }) => name === provider);
}

function variableOf(provider: string, { customs }: ModelPreferences): string {
  const custom = customs.find(({ name }) => name === provider);
  const vendor = VENDORS.find(({ name }) => name === provider);
  return custom?.apiKeyEnv ?? vendor?.needs ?? vendor?.keyVariable ?? "a key";
}

function knownProviders({ customs, keyless = [] }: ModelPreferences): readonly string[] {
  const lists = [VENDORS, customs, LOCAL_SERVERS].flatMap((list) => list.map(({ name }) => name));
  return [...new Set([...lists, ...keyless])];
}
