import { says } from "./output.ts";
import type { CallPlan, Tool } from "./tool.ts";
import { ToolFailure } from "./tool.ts";

export const TOOL_SEARCH = "ToolSearch";
export const CALL_TOOL = "CallTool";

const FOUND_TOOLS_MAX = 5;
/** "in", "a", "to" stand in every description and find nothing. */
const SHORT_WORD_CHARACTERS_MAX = 2;
const LISTED_NAMES_MAX = 60;

interface SearchPlan extends CallPlan {
  readonly query: string;
}

/**
 * Finds lazy tools by words and answers with all it takes to call them (LIB-07).
 * @param lazy tells them, once every source knows its own.
 */
export function toolSearch(lazy: (signal: AbortSignal) => Promise<readonly Tool[]>): Tool<SearchPlan> {
  return {
    name: TOOL_SEARCH,
    description: "Finds more tools by words: names, descriptions, input schemas. Call them with CallTool.",
    inputSchema: { type: "object", properties: { query: { type: "string" } }, required: ["query"] },
    mutating: false,
    level: "ReadOnly",
    plan(input) {
      const { query } = input as { readonly query: string };
      return Promise.resolve({ summary: TOOL_SEARCH, target: { kind: "none" }, query });
    },
    run: async (plan, { signal }) => says(answer(plan.query, await lazy(signal))),
  };
}

/** What the model calls lazy tools with. The registry unwraps it; it runs itself only where it names no tool. */
export function callTool(): Tool {
  const refuse = () =>
    Promise.reject(
      new ToolFailure(`${CALL_TOOL} needs the name of another tool; find it with ${TOOL_SEARCH}.`),
    );
  return {
    name: CALL_TOOL,
    description: "Calls a tool that ToolSearch found.",
    inputSchema: {
      type: "object",
      properties: { name: { type: "string" }, input: { type: "object" } },
      required: ["name", "input"],
    },
    mutating: true,
    level: "DangerFullAccess",
    plan: refuse,
    run: refuse,
  };
}

function answer(query: string, tools: readonly Tool[]): string {
  const all = query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const long = all.filter((word) => word.length > SHORT_WORD_CHARACTERS_MAX);
  const words = long.length > 0 ? long : all;
  const found = tools
    .map((tool) => ({ tool, score: score(tool, words) }))
    .filter((entry) => entry.score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, FOUND_TOOLS_MAX);
  if (found.length > 0) return found.map((entry) => render(entry.tool)).join("\n");
  const names = tools.map((tool) => tool.name);
  if (names.length === 0) return "There are no further tools.";
  const rest = names.length > LISTED_NAMES_MAX ? ` and ${names.length - LISTED_NAMES_MAX} more` : "";
  return `No tool fits ${JSON.stringify(query)}. There are: ${names.slice(0, LISTED_NAMES_MAX).join(", ")}${rest}.`;
}

function score(tool: Tool, words: readonly string[]): number {
  const name = tool.name.toLowerCase();
  const description = tool.description.toLowerCase();
  return words.reduce((sum, word) => {
    const inName = name === word ? 10 : name.includes(word) ? 3 : 0;
    return sum + inName + (description.includes(word) ? 1 : 0);
  }, 0);
}

function render({ name, description, inputSchema }: Tool): string {
  return JSON.stringify({ name, description, input_schema: inputSchema });
}
