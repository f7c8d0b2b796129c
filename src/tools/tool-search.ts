import { isObject, parseJson, stringAt } from "../base/json.ts";
import { grouped } from "../base/text/text.ts";
import { textOutput } from "./output.ts";
import type { CallPlan, Tool } from "./tool.ts";
import { ToolFailure } from "./tool.ts";
import type { ToolFacts } from "./tool-facts.ts";

export const TOOL_SEARCH = "ToolSearch";
export const CALL_TOOL = "CallTool";

export const TOOL_SEARCH_FACTS: ToolFacts = {
  name: TOOL_SEARCH,
  packs: [],
  effect: "session",
  mutating: false,
  level: "ReadOnly",
  autoAllowed: "always",
  output: "own",
  kind: "other",
  inSubAgents: "granted",
  isWay: true,
};

export const CALL_TOOL_FACTS: ToolFacts = {
  name: CALL_TOOL,
  packs: [],
  effect: "unknown",
  mutating: true,
  level: "DangerFullAccess",
  autoAllowed: "never",
  output: "own",
  kind: "other",
  inSubAgents: "granted",
  isWay: true,
};

const DESCRIPTION = "Finds more tools by words: names, descriptions, input schemas. Call them with CallTool.";
/** Limit of the server names in the description. */
const ORIGINS_CHARACTERS_MAX = 120;
const FOUND_TOOLS_MAX = 5;
/** "in", "a", "to" occur in every description and find nothing. */
const SHORT_WORD_CHARACTERS_MAX = 2;
/** A query that contains a tool's whole name means that tool. */
const NAMED_SCORE = 1_000;
const LISTED_NAMES_MAX = 60;

interface SearchPlan extends CallPlan {
  readonly query: string;
}

/**
 * Finds lazy tools by words and returns everything needed to call them (LIB-07).
 * @param lazy returns them, once every source knows its tools.
 * @param origins returns their origins other than cinch, so that the model knows what to search for.
 */
export function toolSearchTool(
  lazy: (signal: AbortSignal) => Promise<readonly Tool[]>,
  origins: () => readonly string[],
): Tool<SearchPlan> {
  return {
    ...TOOL_SEARCH_FACTS,
    get description() {
      return `${DESCRIPTION}${originsText(origins())}`;
    },
    inputSchema: { type: "object", properties: { query: { type: "string" } }, required: ["query"] },
    plan(input) {
      const { query } = input as { readonly query: string };
      return Promise.resolve({ summary: TOOL_SEARCH, target: { kind: "none" }, query });
    },
    run: async (plan, { signal }) => textOutput(answer(plan.query, await lazy(signal))),
  };
}

/** Returns the tool that calls lazy tools. The registry unwraps it; it runs itself only if it names no tool. */
export function callToolTool(): Tool {
  const refuse = () =>
    Promise.reject(
      new ToolFailure(`${CALL_TOOL} needs the name of another tool; find it with ${TOOL_SEARCH}.`),
    );
  return {
    ...CALL_TOOL_FACTS,
    description: "Calls a tool that ToolSearch found.",
    inputSchema: {
      type: "object",
      properties: { name: { type: "string" }, input: { type: "object" } },
      required: ["name", "input"],
    },
    plan: refuse,
    run: refuse,
  };
}

/** Returns the call that a model means: for a CallTool, the inner one. */
export function unwrapCall({ name, input }: { readonly name: string; readonly input: unknown }) {
  const inner = name === CALL_TOOL ? stringAt(input, "name") : undefined;
  return inner === undefined ? { name, input } : { name: inner, input: unwrapInput(input) };
}

/** Returns the input inside a CallTool. Some models write it as JSON text. */
export function unwrapInput(input: unknown): unknown {
  const inner = isObject(input) ? input["input"] : undefined;
  if (typeof inner === "string") return parseJson(inner)?.value ?? inner;
  return inner ?? {};
}

function originsText(names: readonly string[]): string {
  if (names.length === 0) return "";
  const shown: string[] = [];
  let characters = 0;
  for (const name of names) {
    characters += name.length + 2;
    if (characters > ORIGINS_CHARACTERS_MAX) break;
    shown.push(name);
  }
  const rest = names.length - shown.length;
  return ` Servers with more: ${shown.join(", ")}${rest > 0 ? ` and ${rest} others` : ""}.`;
}

function answer(query: string, tools: readonly Tool[]): string {
  const all = query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const long = all.filter((word) => word.length > SHORT_WORD_CHARACTERS_MAX);
  const words = long.length > 0 ? long : all;
  const queryWords = new Set(query.match(/\w+/g));
  const found = tools
    .map((tool) => ({ tool, score: score(tool, words) + (queryWords.has(tool.name) ? NAMED_SCORE : 0) }))
    .filter((entry) => entry.score > 0)
    .sort((a, b) => b.score - a.score);
  if (found.length > 0) {
    const shown = found.slice(0, FOUND_TOOLS_MAX).map((entry) => render(entry.tool));
    const more = found.length - shown.length;
    const moreText =
      more > 0 ? [`(${grouped(more)} more fit; to see them, search with other words of theirs)`] : [];
    return [...shown, ...moreText].join("\n");
  }
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
