import { byteLength } from "../../../base/text/text.ts";
import type { Message } from "../../../protocol/message.ts";
import type { ModelRequest, ModelUsage } from "../../provider.ts";
import { commonStart } from "./common-start.ts";
import { estimateTokens } from "./token-estimate.ts";

export const BYTES_PER_TOKEN = 4;
/**
 * Limits for the learnt correction: a wrong count by a provider must not make every request look too long, or none.
 */
const RATIO_MIN = 0.5;
const RATIO_MAX = 4;
/** Minimum for learning: below it a few words around the request would matter. */
const LEARNT_TOKENS_MIN = 1_000;
/** Weight of a lower measurement; a higher one is used fully. */
const LOWER_SHARE = 0.25;

type Counted = Pick<ModelRequest, "system" | "tools" | "messages">;

interface CountedMessages {
  readonly messages: readonly Message[];
  readonly sums: readonly number[];
}

/**
 * Counts the tokens of a request: four bytes are one token, an image or sound is 1,600, corrected by a model's
 * own counts.
 *
 * More text never counts less. A request that was answered never counts less than the provider has counted for it.
 * Each message is measured once, however often it is sent.
 */
export class TokenCounter {
  readonly #measured = new WeakMap<object, number>();
  /** By the first message: the last counted messages, and the sum up to each of them. */
  readonly #counted = new WeakMap<Message, CountedMessages>();
  readonly #ratios = new Map<string, number>();

  /** Counts the whole request. `model` is any name that distinguishes models. */
  ofRequest(model: string, request: Counted): number {
    return this.#corrected(model, this.#rawPrefix(request) + this.#rawMessages(request.messages));
  }

  /** Counts system text and tools, which compaction cannot make smaller. */
  ofPrefix(model: string, request: Counted): number {
    return this.#corrected(model, this.#rawPrefix(request));
  }

  ofMessages(model: string, messages: readonly Message[]): number {
    return this.#corrected(model, this.#rawMessages(messages));
  }

  /** Counts a lower bound: without the correction if that would add tokens. */
  atLeast(model: string, { system, tools, messages }: Counted): number {
    const raw = this.#rawPrefix({ system, tools, messages }) + this.#rawMessages(messages);
    return Math.floor(raw * Math.min(1, this.#ratio(model)));
  }

  /** Returns bytes of text that certainly count as no more than so many tokens. */
  bytesWithin(model: string, tokens: number): number {
    return Math.max(0, Math.floor((tokens * BYTES_PER_TOKEN) / this.#ratio(model)));
  }

  /** Learns from what the provider counted for a request. */
  learn(model: string, request: Counted, usage: ModelUsage): void {
    const counted = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
    const raw = this.#rawPrefix(request) + this.#rawMessages(request.messages);
    if (counted < LEARNT_TOKENS_MIN || raw < LEARNT_TOKENS_MIN) return;
    const measured = Math.min(RATIO_MAX, Math.max(RATIO_MIN, counted / raw));
    const before = this.#ratio(model);
    const next = measured >= before ? measured : before + (measured - before) * LOWER_SHARE;
    this.#ratios.set(model, next);
  }

  #ratio(model: string): number {
    return this.#ratios.get(model) ?? 1;
  }

  #corrected(model: string, raw: number): number {
    return Math.ceil(raw * this.#ratio(model));
  }

  #rawPrefix({ system, tools }: Counted): number {
    const text = system.reduce((sum, section) => sum + this.#once(section, () => ofText(section.text)), 0);
    return tools.reduce((sum, tool) => sum + this.#once(tool, () => ofText(JSON.stringify(tool))), text);
  }

  /** A history is counted several times for each request, and grows at its end. */
  #rawMessages(messages: readonly Message[]): number {
    const [first] = messages;
    if (first === undefined) return 0;
    const before = this.#counted.get(first);
    if (before?.messages === messages) return before.sums.at(-1) ?? 0;
    const sums = before?.sums.slice(0, commonStart(messages, before.messages)) ?? [];
    let sum = sums.at(-1) ?? 0;
    for (const message of messages.slice(sums.length)) {
      sum += this.#once(message, () => estimateTokens([message]));
      sums.push(sum);
    }
    this.#counted.set(first, { messages, sums });
    return sum;
  }

  #once(value: object, measure: () => number): number {
    const known = this.#measured.get(value);
    if (known !== undefined) return known;
    const measured = measure();
    this.#measured.set(value, measured);
    return measured;
  }
}

function ofText(text: string): number {
  return Math.ceil(byteLength(text) / BYTES_PER_TOKEN);
}
