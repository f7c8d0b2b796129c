import { defined } from "../../base/defined.ts";
import type { ContentBlock } from "../../protocol/content.ts";
import type { Message } from "../../protocol/message.ts";
import type { ResultOf } from "../../protocol/queries/queries.ts";
import type { TokenCounter } from "../../providers/dialect/request/token-counter.ts";
import type { ModelRequest } from "../../providers/provider.ts";
import type { TokenBudget } from "./window/token-budget.ts";

type ContextUse = ResultOf<"GetContext">;
type ContextPart = ContextUse["parts"][number];

/** The last request of a session, with the space that it had. */
export interface SentRequest {
  readonly request: ModelRequest;
  /** Name of the model in the counter: `provider:name`. */
  readonly model: string;
  readonly budget: TokenBudget;
}

export const NOTHING_SENT: ContextUse = { used_tokens: 0, parts: [] };

/** Returns what a request fills of its window, part by part; parts without a token are left out. */
export function contextUse({ request, model, budget }: SentRequest, tokens: TokenCounter): ContextUse {
  const { system, tools, messages } = request;
  const count = (part: Partial<Pick<ModelRequest, "system" | "tools" | "messages">>) =>
    tokens.ofRequest(model, { system: [], tools: [], messages: [], ...part });
  const parts: ContextPart[] = [
    ...system.map((section) => ({
      ...({ kind: "system", name: section.name } as const),
      tokens: count({ system: [section] }),
    })),
    { kind: "tools", name: "tools", count: tools.length, tokens: count({ tools }) },
    ...[...messagesByName(messages)].map(([name, each]) => ({
      ...({ kind: "messages", name, count: each.length } as const),
      tokens: count({ messages: each }),
    })),
  ];
  return {
    model,
    used_tokens: count(request),
    ...defined({ window_tokens: budget.isKnown ? budget.window : undefined }),
    limit_tokens: budget.limit,
    parts: parts.filter((part) => part.tokens > 0),
  };
}

/** Returns the blocks of a history by what they are, each group as messages that can be counted. */
function messagesByName(messages: readonly Message[]): ReadonlyMap<string, readonly Message[]> {
  const names = new Map<string, Message[]>();
  for (const { role, content } of messages) {
    for (const [name, blocks] of Map.groupBy(content, (block) => nameOf(role, block)))
      names.set(name, [...(names.get(name) ?? []), { role, content: blocks }]);
  }
  return names;
}

function nameOf(role: Message["role"], { type }: ContentBlock): string {
  if (type === "tool_use") return "calls";
  if (type === "tool_result") return "results";
  return role === "user" ? "prompts" : "answers";
}
