import type { ModelInUse } from "../engine/turn.ts";
import type { EffortWord, ThinkingKeys } from "../profile/thinking.ts";
import type { ChosenModel } from "../provider/choose.ts";
import { thinkingBudget } from "../provider/effort.ts";
import { knownModel } from "../provider/prices.ts";
import type { Provider } from "../provider/provider.ts";
import type { Providers, SessionValues } from "./providers.ts";

/** Tokens of one answer, where neither the profile nor the model's own limit says less. */
export const OUTPUT_TOKENS_MAX = 16_384;

export interface ModelSlotOptions {
  readonly providers: Providers;
  readonly session: SessionValues;
  readonly outputTokensMax: number;
  /** What the settings say; `set` may say another effort. */
  readonly thinking: ThinkingKeys;
  /** Around every provider that is opened: a recorder. */
  readonly wrap: (provider: Provider) => Provider;
}

/** The model that a session uses now. SetModel puts another one in; the round that runs keeps its own. */
export class ModelSlot {
  readonly #options: ModelSlotOptions;
  #current: ModelInUse;
  #thinking: ThinkingKeys;

  private constructor(options: ModelSlotOptions, current: ModelInUse) {
    this.#options = options;
    this.#current = current;
    this.#thinking = options.thinking;
  }

  static async open(chosen: ChosenModel, options: ModelSlotOptions): Promise<ModelSlot> {
    return new ModelSlot(options, await inUse(chosen, options, options.thinking));
  }

  get current(): ModelInUse {
    return this.#current;
  }

  /** `provider:name`. */
  get name(): string {
    return `${this.#current.provider.name}:${this.#current.id}`;
  }

  /** Another model, for a part of the session's work: it thinks as hard as the session's own. */
  async openBeside(chosen: ChosenModel): Promise<ModelInUse> {
    return await inUse(chosen, this.#options, this.#thinking);
  }

  /** @param effort stays as it is where absent. */
  async set(chosen: ChosenModel, effort?: EffortWord): Promise<void> {
    const thinking = effort === undefined ? this.#thinking : { ...this.#thinking, effort };
    this.#current = await inUse(chosen, this.#options, thinking);
    this.#thinking = thinking;
  }
}

async function inUse(
  chosen: ChosenModel,
  options: ModelSlotOptions,
  { effort = "off", budgetTokens }: ThinkingKeys,
): Promise<ModelInUse> {
  const { provider, model: id } = chosen;
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
