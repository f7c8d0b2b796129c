import { defined } from "../../base/defined.ts";
import type { ThinkingKeys } from "../../config/sections/models.ts";
import type { EffortWord } from "../../protocol/effort.ts";
import type { ChosenModel } from "../../providers/choosing/choose-model.ts";
import type { ModelInUse } from "../../providers/choosing/model-in-use.ts";
import { ModelReplaced } from "../../providers/choosing/model-in-use.ts";
import { knownModel } from "../../providers/choosing/prices.ts";
import { thinkingBudget } from "../../providers/effort.ts";
import type { Provider } from "../../providers/provider.ts";
import type { Providers, SessionValues } from "./providers.ts";

export interface ModelSlotOptions {
  readonly providers: Providers;
  readonly session: SessionValues;
  readonly outputTokensMax: number;
  /** Thinking by the settings. */
  readonly thinking: ThinkingKeys;
  /** Effort that a client chose for the session; it overrides the settings. */
  readonly effort?: EffortWord;
  /** Wraps every provider that is opened: a recorder. */
  readonly wrap: (provider: Provider) => Provider;
}

/**
 * The model that a session uses now. SetModel replaces it. A running round keeps its own, unless that waits before a
 * retry: then the round is sent to the new one.
 */
export class ModelSlot {
  readonly #options: ModelSlotOptions;
  #current: ModelInUse;
  #effort: EffortWord | undefined;
  #replaced = new AbortController();

  private constructor(options: ModelSlotOptions, current: ModelInUse) {
    this.#options = options;
    this.#current = { ...current, replaced: this.#replaced.signal };
    this.#effort = options.effort;
  }

  static async open(chosen: ChosenModel, options: ModelSlotOptions): Promise<ModelSlot> {
    return new ModelSlot(options, await inUse(chosen, options, options.effort));
  }

  get current(): ModelInUse {
    return this.#current;
  }

  /** `provider:name`. */
  get name(): string {
    return `${this.#current.provider.name}:${this.#current.id}`;
  }

  /** Effort that a client has chosen for the session, by a flag or since; undefined if the settings decide. */
  get chosenEffort(): EffortWord | undefined {
    return this.#effort;
  }

  /** Opens another model for a part of the session's work, with the session's effort. */
  async openBeside(chosen: ChosenModel): Promise<ModelInUse> {
    return await inUse(chosen, this.#options, this.#effort);
  }

  /** @param effort absent: unchanged. */
  async set(chosen: ChosenModel, effort?: EffortWord): Promise<void> {
    const chosenEffort = effort ?? this.#effort;
    const next = await inUse(chosen, this.#options, chosenEffort);
    const before = this.#current;
    this.#effort = chosenEffort;
    if (isSameModel(before, next)) {
      this.#current = { ...next, replaced: this.#replaced.signal };
      return;
    }
    const replaced = this.#replaced;
    this.#replaced = new AbortController();
    this.#current = { ...next, replaced: this.#replaced.signal };
    replaced.abort(new ModelReplaced(this.name));
  }
}

/** Returns true if a request to either would be the same. */
function isSameModel(one: ModelInUse, other: ModelInUse): boolean {
  const isSame = one.provider.name === other.provider.name && one.id === other.id;
  return isSame && one.thinking?.effort === other.thinking?.effort;
}

async function inUse(
  chosen: ChosenModel,
  options: ModelSlotOptions,
  chosenEffort: EffortWord | undefined,
): Promise<ModelInUse> {
  const { provider, model: id } = chosen;
  const { budgetTokens } = options.thinking;
  const effort = chosenEffort ?? options.thinking.effort ?? "off";
  const opened = wrapped(await options.providers.open(chosen, options.session), options.wrap);
  const known = knownModel(provider, id)?.outputTokensMax;
  const thinking = effort === "off" ? undefined : { effort, ...defined({ budgetTokens }) };
  // Thinking counts as output: if the model's limit is known to allow more, thinking does not use up the
  // answer's share.
  const room = known === undefined || thinking === undefined ? 0 : thinkingBudget(thinking);
  return {
    provider: opened,
    id,
    outputTokensMax: Math.min(options.outputTokensMax + room, known ?? Number.MAX_SAFE_INTEGER),
    ...defined({ thinking }),
  };
}

/** Wraps those providers of a composed one that take its requests. */
function wrapped(provider: Provider, wrap: ModelSlotOptions["wrap"]): Provider {
  const { route } = provider;
  if (route === undefined) return wrap(provider);
  return {
    ...provider,
    route: async (about, signal) =>
      (await route(about, signal)).map((executor) => ({ ...executor, provider: wrap(executor.provider) })),
  };
}
