import type { ThinkingKeys } from "../../config/sections/models.ts";
import type { EffortWord } from "../../protocol/effort.ts";
import type { ChosenModel } from "../../providers/choosing/choose-model.ts";
import type { ModelInUse } from "../../providers/choosing/model-in-use.ts";
import { knownModel } from "../../providers/choosing/prices.ts";
import { thinkingBudget } from "../../providers/effort.ts";
import type { Provider } from "../../providers/provider.ts";
import type { Providers, SessionValues } from "./providers.ts";

export interface ModelSlotOptions {
  readonly providers: Providers;
  readonly session: SessionValues;
  readonly outputTokensMax: number;
  /** Thinking as the settings have it. */
  readonly thinking: ThinkingKeys;
  /** Effort that somebody chose for the session; it goes before the settings. */
  readonly effort?: EffortWord;
  /** Around every provider that is opened: a recorder. */
  readonly wrap: (provider: Provider) => Provider;
}

/** The model that a session uses now. SetModel puts another one in; the round that runs keeps its own. */
export class ModelSlot {
  readonly #options: ModelSlotOptions;
  #current: ModelInUse;
  #effort: EffortWord | undefined;

  private constructor(options: ModelSlotOptions, current: ModelInUse) {
    this.#options = options;
    this.#current = current;
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

  /** The effort that somebody has chosen for the session, by a flag or since; undefined where the settings decide. */
  get chosenEffort(): EffortWord | undefined {
    return this.#effort;
  }

  /** Another model, for a part of the session's work: it thinks as hard as the session's own. */
  async openBeside(chosen: ChosenModel): Promise<ModelInUse> {
    return await inUse(chosen, this.#options, this.#effort);
  }

  /** @param effort stays as it is where absent. */
  async set(chosen: ChosenModel, effort?: EffortWord): Promise<void> {
    const chosenEffort = effort ?? this.#effort;
    this.#current = await inUse(chosen, this.#options, chosenEffort);
    this.#effort = chosenEffort;
  }
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
  const thinking =
    effort === "off" ? undefined : { effort, ...(budgetTokens === undefined ? {} : { budgetTokens }) };
  // Thinking counts as output: where it is known that the model may say more, it does not take the answer's room.
  const room = known === undefined || thinking === undefined ? 0 : thinkingBudget(thinking);
  return {
    provider: opened,
    id,
    outputTokensMax: Math.min(options.outputTokensMax + room, known ?? Number.MAX_SAFE_INTEGER),
    ...(thinking === undefined ? {} : { thinking }),
  };
}

/** Of a composed provider those are wrapped that take its requests. */
function wrapped(provider: Provider, wrap: ModelSlotOptions["wrap"]): Provider {
  const { route } = provider;
  if (route === undefined) return wrap(provider);
  return {
    ...provider,
    route: async (about, signal) =>
      (await route(about, signal)).map((executor) => ({ ...executor, provider: wrap(executor.provider) })),
  };
}
