import type { SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import { defined } from "../../../base/defined.ts";
import type { Envelope } from "../../../protocol/events/envelope.ts";
import type { SessionInfo } from "../../../protocol/resources.ts";
import { contextTokensAfter } from "../../../view/costs/context-tokens.ts";
import type { Cost } from "../../../view/costs/cost.ts";
import { NO_COST, priceOf } from "../../../view/costs/cost.ts";
import type { SessionCosts } from "../../../view/costs/session-costs.ts";
import { NO_SESSION_COSTS, sessionCostsAfter, totalCost } from "../../../view/costs/session-costs.ts";
import { planModeOf } from "../../../view/session/plan-mode.ts";
import type { AnsweredOptions } from "./answered-options.ts";
import type { OfferedModel, SessionOptions } from "./options.ts";
import { configOptions, modeOf } from "./options.ts";

/** Facts that an editor shows beside the conversation: mode, options, context window and cost. */
export class SessionFacts {
  #options: SessionOptions;
  /** Tokens of the conversation, as GetSession has them; undefined before the first request. */
  #usedTokens: number | undefined;
  /** Window of the session's model as the engine knows it. */
  #window: { readonly model: string; readonly tokens: number | undefined } | undefined;
  #costs: SessionCosts = NO_SESSION_COSTS;

  constructor(info: SessionInfo) {
    this.#options = { ...optionsOf(info), models: [] };
    this.#takeContext(info);
  }

  get options(): SessionOptions {
    return this.#options;
  }

  /**
   * Takes the facts of a session whose past was not read as a whole.
   * @param turn costs of its newest turn, as far as that was read.
   */
  settle(info: SessionInfo, { turn }: Pick<SessionCosts, "turn">): void {
    this.#costs = { earlier: costOf(info), turn: { ...turn, total: NO_COST } };
  }

  /** Takes the facts of the session that continues this one. Its model, level and mode may be others. */
  renew(info: SessionInfo, { isOtherLog }: { readonly isOtherLog: boolean }): readonly SessionUpdate[] {
    this.#takeContext(info);
    if (isOtherLog) this.#costs = NO_SESSION_COSTS; // all its events follow
    const { effort, ...rest } = this.#options;
    return this.#change({ ...rest, ...optionsOf(info) });
  }

  /** Takes the models that a session can continue with. */
  offerModels(models: readonly OfferedModel[]): readonly SessionUpdate[] {
    if (models.length === 0) return [];
    return this.#change({ ...this.#options, models });
  }

  /**
   * Takes the options that the answer to a command tells.
   * @param before the options when the command was sent. What an event has changed since then is newer.
   */
  answered(answer: AnsweredOptions, before: SessionOptions): readonly SessionUpdate[] {
    const now = this.#options;
    const { model, effort, level, planMode } = answer;
    return this.#change({
      ...now,
      ...(now.model === before.model ? defined({ model }) : {}),
      ...(now.effort === before.effort ? defined({ effort }) : {}),
      ...(now.level === before.level ? defined({ level }) : {}),
      ...(now.planMode === before.planMode ? defined({ planMode }) : {}),
    });
  }

  /** Returns the updates for one new event. */
  after(event: Envelope): readonly SessionUpdate[] {
    this.#costs = sessionCostsAfter(this.#costs, event);
    if (event.parentCall !== undefined) return [];
    const tokens = contextTokensAfter(event);
    if (tokens !== undefined) {
      this.#usedTokens = tokens;
      return this.usage();
    }
    switch (event.kind) {
      case "ModelChanged": {
        const { model, effort = this.#options.effort } = event.payload;
        return this.#change({ ...this.#options, model, ...defined({ effort }) });
      }
      case "LevelChanged":
        return this.#change({ ...this.#options, level: event.payload.level });
      case "CustomEvent": {
        const planMode = planModeOf(event);
        if (planMode === undefined) return [];
        return this.#change({ ...this.#options, planMode });
      }
      default:
        return [];
    }
  }

  /** Returns how full the context is, and the cost; nothing while the size of the model's window is unknown. */
  usage(): readonly SessionUpdate[] {
    const { model, models } = this.#options;
    const known = this.#window?.model === model ? this.#window.tokens : undefined;
    const size = models.find(({ id }) => id === model)?.windowTokens ?? known;
    if (size === undefined || this.#usedTokens === undefined) return [];
    const amount = priceOf(totalCost(this.#costs));
    const cost = amount === null ? {} : { cost: { amount, currency: "USD" } };
    return [{ sessionUpdate: "usage_update", used: this.#usedTokens, size, ...cost }];
  }

  #takeContext({ model, context_tokens, context_window }: SessionInfo): void {
    this.#usedTokens = context_tokens;
    this.#window = { model, tokens: context_window };
  }

  /** Returns no update if every option has its value: the answer to a command and its event tell it once. */
  #change(options: SessionOptions): readonly SessionUpdate[] {
    const { planMode, ...before } = this.#options;
    if (options.planMode === planMode && isSame(options, before)) return [];
    this.#options = options;
    const changed: SessionUpdate = {
      sessionUpdate: "config_option_update",
      configOptions: configOptions(options),
    };
    if (options.planMode === planMode) return [changed];
    return [{ sessionUpdate: "current_mode_update", currentModeId: modeOf(options.planMode) }, changed];
  }
}

function isSame(options: SessionOptions, before: Omit<SessionOptions, "planMode">): boolean {
  const { model, effort, level, models } = before;
  return (
    options.model === model &&
    options.effort === effort &&
    options.level === level &&
    options.models === models
  );
}

function optionsOf({ model, effort, level, plan_mode: planMode = false }: SessionInfo) {
  return { model, planMode, ...defined({ effort, level }) };
}

/** Returns what a session has cost so far. The number of its calls is not known. */
function costOf({ cost_usd: usd = null, ...tokens }: SessionInfo): Cost {
  return {
    ...{ usd: usd ?? 0, calls: 0, unpricedCalls: usd === null ? 1 : 0 },
    inputTokens: tokens.input_tokens ?? 0,
    outputTokens: tokens.output_tokens ?? 0,
    cacheReadTokens: tokens.cache_read_tokens ?? 0,
    cacheWriteTokens: tokens.cache_write_tokens ?? 0,
  };
}
