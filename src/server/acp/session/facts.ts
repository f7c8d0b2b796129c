import type { SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import type { Envelope } from "../../../protocol/events/envelope.ts";
import { priceOf } from "../../../view/costs/cost.ts";
import type { SessionCosts } from "../../../view/costs/session-costs.ts";
import { totalCost } from "../../../view/costs/session-costs.ts";
import { planModeOf } from "../../../view/session/plan-mode.ts";
import type { OfferedModel, SessionOptions } from "./options.ts";
import { configOptions, modeOf } from "./options.ts";

/** Facts that an editor shows beside the conversation: mode, options, context window and cost. */
export class SessionFacts {
  #options: SessionOptions;
  /** Tokens of the last request with its answer; undefined before the first one. */
  #usedTokens: number | undefined;

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  get options(): SessionOptions {
    return this.#options;
  }

  /** Takes the model of a session whose past was read: a run may have begun with another one. */
  settle({ model }: Pick<SessionOptions, "model">): void {
    this.#options = { ...this.#options, model };
  }

  /** Takes the models that a session can continue with. */
  offerModels(models: readonly OfferedModel[]): readonly SessionUpdate[] {
    if (models.length === 0) return [];
    this.#options = { ...this.#options, models };
    return [this.#optionUpdate()];
  }

  /** Returns the updates for one event of the session's own agent. */
  after(event: Envelope, costs: SessionCosts): readonly SessionUpdate[] {
    if (event.parentCall !== undefined) return [];
    switch (event.kind) {
      case "ModelChanged": {
        const { model, effort = this.#options.effort } = event.payload;
        this.#options = { ...this.#options, model, ...(effort === undefined ? {} : { effort }) };
        return [this.#optionUpdate()];
      }
      case "CustomEvent": {
        const planMode = planModeOf(event);
        if (planMode === undefined || planMode === this.#options.planMode) return [];
        this.#options = { ...this.#options, planMode };
        const currentModeId = modeOf(planMode);
        return [{ sessionUpdate: "current_mode_update", currentModeId }, this.#optionUpdate()];
      }
      case "CostIncremented": {
        const { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = event.payload;
        if (event.payload.purpose !== undefined) return [];
        this.#usedTokens = inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens;
        return this.usage(costs);
      }
      case "CompactionTriggered":
        this.#usedTokens = event.payload.afterTokens;
        return this.usage(costs);
      default:
        return [];
    }
  }

  /** Returns how full the context is, and the cost; nothing while the size of the model's window is unknown. */
  usage(costs: SessionCosts): readonly SessionUpdate[] {
    const { model, models } = this.#options;
    const size = models.find(({ id }) => id === model)?.windowTokens;
    if (size === undefined || this.#usedTokens === undefined) return [];
    const amount = priceOf(totalCost(costs));
    const cost = amount === null ? {} : { cost: { amount, currency: "USD" } };
    return [{ sessionUpdate: "usage_update", used: this.#usedTokens, size, ...cost }];
  }

  #optionUpdate(): SessionUpdate {
    return { sessionUpdate: "config_option_update", configOptions: configOptions(this.#options) };
  }
}
