import { defined } from "../../base/defined.ts";
import type { ContentBlock } from "../../protocol/content.ts";
import type { Message } from "../../protocol/message.ts";
import type { ResultOf } from "../../protocol/queries/queries.ts";
import type { TokenCounter } from "../../providers/dialect/request/token-counter.ts";
import type { ModelRequest } from "../../providers/provider.ts";
import type { TokenBudget } from "./window/token-budget.ts";

type ContextUse = ResultOf<"GetContext">;
type ContextPart = ContextUse["parts"][number];

/** A request with the space that it has. */
export interface SentRequest {
  readonly request: ModelRequest;
  /** Name of the model in the counter: `provider:name`. */
  readonly model: string;
  readonly budget: TokenBudget;
}

export const NOTHING_SENT: ContextUse = { used_tokens: 0, parts: [] };

/**
 * Measures requests part by part. Holds numbers only, so that an idle session keeps no message; each message is
 * measured once, however often it is sent.
 */
export class ContextMeter {
  readonly #tokens: TokenCounter;
  readonly #sizes = new WeakMap<Message, ReadonlyMap<string, number>>();

  constructor(tokens: TokenCounter) {
    this.#tokens = tokens;
  }

  /** Returns what a request fills of its window; parts without a token are left out. */
  use({ request, model, budget }: SentRequest): ContextUse {
    const { system, tools, messages } = request;
    const count = (part: Partial<Pick<ModelRequest, "system" | "tools" | "messages">>) =>
      this.#tokens.ofRequest(model, { system: [], tools: [], messages: [], ...part });
    const parts: ContextPart[] = [
      ...system.map((section) => ({
        ...({ kind: "system", name: section.name } as const),
        tokens: count({ system: [section] }),
      })),
      { kind: "tools", name: "tools", count: tools.length, tokens: count({ tools }) },
      ...this.#messageParts(messages, (each) => count({ messages: [each] })),
    ];
    return {
      model,
      used_tokens: count(request),
      ...defined({ window_tokens: budget.isKnown ? budget.window : undefined }),
      limit_tokens: budget.limit,
      parts: parts.filter((part) => part.tokens > 0),
    };
  }

  #messageParts(messages: readonly Message[], measure: (message: Message) => number): readonly ContextPart[] {
    const sums = new Map<string, { count: number; tokens: number }>();
    for (const message of messages) {
      const sizes = this.#sizes.get(message) ?? sizesOf(message, measure);
      this.#sizes.set(message, sizes);
      for (const [name, tokens] of sizes) {
        const { count, tokens: before } = sums.get(name) ?? { count: 0, tokens: 0 };
        sums.set(name, { count: count + 1, tokens: before + tokens });
      }
    }
    return [...sums].map(([name, sum]) => ({ kind: "messages", name, ...sum }));
  }
}

/** Measures the blocks of a message by what they are. */
function sizesOf(
  { role, content }: Message,
  measure: (message: Message) => number,
): ReadonlyMap<string, number> {
  const groups = Map.groupBy(content, (block) => nameOf(role, block));
  return new Map([...groups].map(([name, blocks]) => [name, measure({ role, content: blocks })]));
}

function nameOf(role: Message["role"], { type }: ContentBlock): string {
  if (type === "tool_use") return "calls";
  if (type === "tool_result") return "results";
  return role === "user" ? "prompts" : "answers";
}
