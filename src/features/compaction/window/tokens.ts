import { byteLength } from "../../../base/text/text.ts";
import type { Message } from "../../../protocol/message.ts";
import { estimateTokens } from "../../../providers/dialect/request/token-estimate.ts";
import type { ModelRequest, Usage } from "../../../providers/provider.ts";

export const BYTES_PER_TOKEN = 4;
/** A provider that reports nonsense must not make every request look too long, or none. */
const RATIO_MIN = 0.5;
const RATIO_MAX = 4;
/** Below this a few words around the request would count for much. */
const LEARNT_TOKENS_MIN = 1_000;
/** How much of a lower measurement is believed at once; a higher one is believed whole. */
const LOWER_SHARE = 0.25;

type Counted = Pick<ModelRequest, "system" | "tools" | "messages">;

/**
 * How many tokens a request has: four bytes are one, an image or sound is 1,600, and what a model's own counts have
 * shown corrects that for it.
 *
 * More text never counts less. A request that was answered never counts less than the provider has counted for it. Each
 * message is measured once, however often it is sent.
 */
export class Tokens {
  readonly #measured = new WeakMap<object, number>();
  readonly #ratios = new Map<string, number>();

  /** The whole request. `model` is any name that tells models apart. */
  ofRequest(model: string, request: Counted): number {
    return this.#corrected(model, this.#rawPrefix(request) + this.#rawMessages(request.messages));
  }

  /** System text and tools: what compaction cannot make smaller. */
  ofPrefix(model: string, request: Counted): number {
    return this.#corrected(model, this.#rawPrefix(request));
  }

  ofMessages(model: string, messages: readonly Message[]): number {
    return this.#corrected(model, this.#rawMessages(messages));
  }

  /** What it has at the least, as far as that can be known: without the correction, where that makes it more. */
  atLeast(model: string, { system, tools, messages }: Counted): number {
    const raw = this.#rawPrefix({ system, tools, messages }) + this.#rawMessages(messages);
    return Math.floor(raw * Math.min(1, this.#ratio(model)));
  }

  /** Bytes of text that surely count as no more than so many tokens. */
  bytesWithin(model: string, tokens: number): number {
    return Math.max(0, Math.floor((tokens * BYTES_PER_TOKEN) / this.#ratio(model)));
  }

  /** Takes what the provider counted for a request into account. */
  learn(model: string, request: Counted, usage: Usage): void {
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

  #rawMessages(messages: readonly Message[]): number {
    return messages.reduce((sum, message) => sum + this.#once(message, () => estimateTokens([message])), 0);
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
