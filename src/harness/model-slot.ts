import type { ModelInUse } from "../engine/turn.ts";
import type { ChosenModel } from "../provider/choose.ts";
import { knownModel } from "../provider/prices.ts";
import type { Provider } from "../provider/provider.ts";
import type { Providers, SessionValues } from "./providers.ts";

/** Tokens of one answer, where neither the profile nor the model's own limit says less. */
export const OUTPUT_TOKENS_MAX = 16_384;

export interface ModelSlotOptions {
  readonly providers: Providers;
  readonly session: SessionValues;
  readonly outputTokensMax: number;
  /** Around every provider that is opened: a recorder. */
  readonly wrap: (provider: Provider) => Provider;
}

/** The model that a session uses now. SetModel puts another one in; the round that runs keeps its own. */
export class ModelSlot {
  readonly #options: ModelSlotOptions;
  #current: ModelInUse;

  private constructor(options: ModelSlotOptions, current: ModelInUse) {
    this.#options = options;
    this.#current = current;
  }

  static async open(chosen: ChosenModel, options: ModelSlotOptions): Promise<ModelSlot> {
    return new ModelSlot(options, await inUse(chosen, options));
  }

  get current(): ModelInUse {
    return this.#current;
  }

  /** `provider:name`. */
  get name(): string {
    return `${this.#current.provider.name}:${this.#current.id}`;
  }

  async set(chosen: ChosenModel): Promise<void> {
    this.#current = await inUse(chosen, this.#options);
  }
}

async function inUse(chosen: ChosenModel, options: ModelSlotOptions): Promise<ModelInUse> {
  const { provider, model: id } = chosen;
  const opened = options.wrap(await options.providers.open(chosen, options.session));
  const limit = knownModel(provider, id)?.outputTokensMax ?? options.outputTokensMax;
  return { provider: opened, id, outputTokensMax: Math.min(options.outputTokensMax, limit) };
}
