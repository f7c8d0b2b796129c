import type { Message } from "../../protocol/message.ts";
import type { TokenCounter } from "../../providers/dialect/request/token-counter.ts";
import type { RequestContext, RequestHandler } from "../../providers/middleware.ts";
import type { ModelRequest } from "../../providers/provider.ts";
import { validHistory } from "../../session/history/valid-history.ts";
import type { ToolTable } from "../../tools/tool-facts.ts";
import { boundedFacts } from "./facts/bounded-facts.ts";
import type { Facts } from "./facts/facts.ts";
import { collectFacts, NO_FACTS } from "./facts/facts.ts";
import { splitLastInput, withoutHead } from "./facts/split-history.ts";
import { userText } from "./facts/user-text.ts";
import type { CompactedHead, Summary } from "./summary/compacted-head.ts";
import { parseCompactedHead, renderCompactedHead } from "./summary/compacted-head.ts";
import { withinBytes } from "./summary/cut-text.ts";
import { SUMMARY_MS_MAX, summarise } from "./summary/summarise.ts";
import { digest } from "./summary/transcript.ts";
import { clipResults } from "./window/clip-results.ts";
import type { FittedLevel, PressureLevel, WeighedLevel } from "./window/pressure-levels.ts";
import { bestLevel, pressureLevels } from "./window/pressure-levels.ts";
import { recentStart } from "./window/recent-window.ts";
import type { StoreText } from "./window/replace-results.ts";
import { replaceLongResults } from "./window/replace-results.ts";
import { StoredTexts } from "./window/stored-texts.ts";
import type { CompactionTrigger, TokenBudget } from "./window/token-budget.ts";

export interface CompactionTask {
  readonly trigger: CompactionTrigger;
  readonly request: ModelRequest;
  readonly context: RequestContext;
  readonly next: RequestHandler;
  readonly budget: TokenBudget;
  readonly tokens: TokenCounter;
  /** Name of the model in `tokens`. */
  readonly model: string;
  readonly keepTurns: number;
  readonly keep: StoreText;
  readonly tools: ToolTable;
  readonly redact: (text: string) => string;
  /** False if the model has failed at it before. */
  readonly asksModel: boolean;
}

export interface CompactionResult {
  readonly tier: 1 | 2 | 3;
  /** Result of asking a model for a summary. */
  readonly summary: "written" | "failed" | "not-asked";
}

/** Shares of the space for messages. */
const RECENT_SHARE = 0.25;
const SUMMARY_SHARE = 0.12;
const TIER_1_SHARE = 0.6;
const FITS_SHARE = 0.85;
const CLIPPED_SHARE = 0.3;

/**
 * Share above which a last message is split into blocks: it may hold an input that did not fit beside a later one.
 */
const SPREAD_SHARE = 0.5;

const SUMMARY_TOKENS_MAX = 4_096;
/** Minimum for a summary by a model: shorter text is summarised from the log, since a model would write no less. */
const SUMMARISED_TOKENS_MIN = 200;
/** Share of a summary request for the text to read: its instructions and the summary need space as well. */
const SUMMARY_INPUT_SHARE = 0.7;
/** Minimum gain: a view that frees less is not worth a new prompt cache. */
const GAIN_SHARE = 0.05;

/**
 * Replaces the history by a smaller view, by the first of three tiers that frees enough (SES-13):
 *
 * - 1. Long results before the recent window become references.
 * - 2. Everything before the recent window becomes facts from the log and a summary by the model.
 * - 3. The same with a summary from the log, if the model has given none.
 *
 * Returns undefined if there is nothing to gain; then nothing was changed.
 * @throws signal.reason; HarnessError if the log cannot be written.
 */
export async function runCompaction(task: CompactionTask): Promise<CompactionResult | undefined> {
  const run = new Run(task);
  return (await run.tier1()) ?? (await run.tier2());
}

class Run {
  readonly #task: CompactionTask;
  readonly #history: readonly Message[];
  readonly #head: CompactedHead | undefined;
  /** The history without the head of an earlier compaction; an empty message stands for that. */
  readonly #spoken: readonly Message[];
  readonly #before: number;
  readonly #kept: StoredTexts;
  readonly #turnInput: string;

  constructor(task: CompactionTask) {
    this.#task = task;
    this.#kept = new StoredTexts((name, text) => task.keep(name, task.redact(text)));
    const { history, turnInput: begun } = task.context;
    const { messages } = history;
    this.#turnInput = begun === undefined ? "" : userText({ role: "user", content: [...begun] });
    this.#history = messages;
    this.#head = parseCompactedHead(messages[0]);
    this.#before = this.#weigh(messages);
    const heavy = Math.floor(task.budget.messages * SPREAD_SHARE);
    this.#spoken = splitLastInput(withoutHead(messages, this.#head), (last) => this.#weigh([last]) > heavy);
  }

  async tier1(): Promise<CompactionResult | undefined> {
    const { trigger, budget, tools } = this.#task;
    if (trigger === "command") return undefined;
    const recent = this.#recentOf(this.#history);
    const dry = await replaceLongResults(this.#history, recent, { keep: async () => DRY_PATH, tools });
    if (this.#weigh(dry) > budget.messages * TIER_1_SHARE) return undefined;
    const view = validHistory(
      await replaceLongResults(this.#history, recent, { keep: this.#kept.keep, tools }),
    );
    return await this.#replace(view, { tier: 1, summary: "not-asked" });
  }

  async tier2(): Promise<CompactionResult | undefined> {
    const { budget, tokens, model } = this.#task;
    const summaryTokens = Math.min(SUMMARY_TOKENS_MAX, Math.floor(budget.messages * SUMMARY_SHARE));
    const summaryBytes = tokens.bytesWithin(model, summaryTokens);
    const chosen = await this.#level(summaryBytes);
    if (chosen === undefined) return undefined;
    const { level, facts } = chosen;
    if (!this.#gains(this.#weigh(await this.#view(level, facts, NO_SUMMARY)))) return undefined;
    const bytes = Math.floor(summaryBytes * level.share);
    const writtenSummary = await this.#summary(level, { tokens: summaryTokens, bytes });
    const summary: Summary = writtenSummary ?? { by: "log", text: this.#digest(level, bytes) };
    const view = await this.#view(level, facts, summary);
    if (writtenSummary !== undefined) return await this.#replace(view, { tier: 2, summary: "written" });
    return await this.#replace(view, { tier: 3, summary: this.#asksModel(level) ? "failed" : "not-asked" });
  }

  /** Returns the gentlest level that frees enough, with the facts it keeps; else one that fits; else the lightest. */
  async #level(summaryBytes: number): Promise<FittedLevel | undefined> {
    const { budget, tokens, model } = this.#task;
    const tried: WeighedLevel[] = [];
    for (const level of pressureLevels(this.#spoken, this.#recentOf(this.#spoken))) {
      const all = collectFacts(this.#head?.facts ?? NO_FACTS, this.#spoken, {
        cut: level.cut,
        turnInput: this.#turnInput,
        tools: this.#task.tools,
      });
      const bytes = tokens.bytesWithin(model, budget.messages) * level.share;
      const factsRoom = { bytes, minimum: level.minimum ?? 1 };
      const facts = await boundedFacts(this.#redacted(all), factsRoom, this.#kept.keepRequest);
      const summary: Summary = { by: "model", text: "x".repeat(Math.floor(summaryBytes * level.share)) };
      const view = await this.#view(level, facts, summary);
      const weight = this.#weigh(view);
      if (weight <= budget.messages * FITS_SHARE && level.minimum === undefined) return { level, facts };
      const least = tokens.atLeast(model, { system: [], tools: [], messages: view });
      tried.push({ level, facts, weight, least });
    }
    return bestLevel(tried, budget, this.#task.trigger);
  }

  #recentOf(messages: readonly Message[]): number {
    const { budget, trigger, keepTurns } = this.#task;
    const target = trigger === "command" ? Math.min(budget.messages, this.#before) : budget.messages;
    return recentStart(messages, {
      turns: trigger === "command" ? 1 : keepTurns,
      tokens: Math.floor(target * RECENT_SHARE),
      weigh: (each) => this.#weigh(each),
    });
  }

  async #view({ cut, clips }: PressureLevel, facts: Facts, summary: Summary): Promise<readonly Message[]> {
    const { budget, tokens, model } = this.#task;
    const recent = this.#spoken.slice(cut);
    const bytes = tokens.bytesWithin(model, Math.floor(budget.messages * CLIPPED_SHARE));
    const messages = clips ? await clipResults(recent, bytes, this.#kept.keep) : recent;
    return validHistory([{ role: "user", content: [...renderCompactedHead(facts, summary)] }, ...messages]);
  }

  #asksModel({ cut }: PressureLevel): boolean {
    return this.#task.asksModel && this.#weigh(this.#spoken.slice(0, cut)) >= SUMMARISED_TOKENS_MIN;
  }

  async #summary(
    level: PressureLevel,
    max: { readonly tokens: number; readonly bytes: number },
  ): Promise<Summary | undefined> {
    const { request, context, next, budget, tokens, model, redact } = this.#task;
    if (!this.#asksModel(level)) return undefined;
    this.#emitProgress("started");
    const text = await summarise({
      messages: this.#spoken.slice(0, level.cut),
      earlier: this.#head?.summary ?? "",
      request,
      context,
      next,
      inputBytesMax: tokens.bytesWithin(model, Math.floor(budget.hard * SUMMARY_INPUT_SHARE)),
      outputTokensMax: Math.min(request.outputTokensMax, Math.max(256, max.tokens)),
      outputBytesMax: max.bytes * 2,
    }).finally(() => this.#emitProgress("ended"));
    return text === undefined ? undefined : { by: "model", text: withinBytes(redact(text), max.bytes) };
  }

  #emitProgress(state: "started" | "ended"): void {
    const { context, trigger, tokens, model, request } = this.#task;
    const beforeTokens = this.#before + tokens.ofPrefix(model, request);
    const payload = { state, beforeTokens, trigger, timeoutMs: SUMMARY_MS_MAX };
    context.emit({ kind: "CompactionProgress", payload });
  }

  #digest({ cut }: PressureLevel, bytesMax: number): string {
    const text = digest(this.#spoken.slice(0, cut), this.#head?.summary ?? "", bytesMax);
    return withinBytes(this.#task.redact(text), bytesMax);
  }

  async #replace(
    view: readonly Message[],
    compacted: CompactionResult,
  ): Promise<CompactionResult | undefined> {
    const after = this.#weigh(view);
    if (!this.#gains(after)) return undefined;
    const { context, trigger, tokens, model, request } = this.#task;
    context.signal.throwIfAborted();
    const prefix = tokens.ofPrefix(model, request);
    await context.history.replace(view, (boundary) => ({
      kind: "CompactionTriggered",
      payload: {
        beforeTokens: this.#before + prefix,
        afterTokens: after + prefix,
        boundary,
        tier: compacted.tier,
        trigger,
      },
    }));
    return compacted;
  }

  #gains(after: number): boolean {
    return after <= this.#before * (1 - GAIN_SHARE);
  }

  #weigh(messages: readonly Message[]): number {
    return this.#task.tokens.ofMessages(this.#task.model, messages);
  }

  #redacted({ requests, steered, rules, tasks, files, plan, doneTasks }: Facts): Facts {
    const { redact } = this.#task;
    return {
      requests: requests.map(redact),
      steered,
      rules: rules.map(redact),
      tasks: tasks.map((task) => ({ ...task, content: redact(task.content) })),
      doneTasks,
      files: files.map(redact),
      ...(plan === undefined ? {} : { plan: redact(plan) }),
    };
  }
}

/** A text with the length of a path, to estimate what would be kept. */
const DRY_PATH = "x".repeat(120);

const NO_SUMMARY: Summary = { by: "log", text: "" };
