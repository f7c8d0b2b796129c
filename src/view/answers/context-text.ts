import { count, grouped } from "../../base/text/text.ts";
import type { ResultOf } from "../../protocol/queries/queries.ts";
import { neutraliseLine } from "../terminal/terminal-text.ts";

type ContextAnswer = ResultOf<"GetContext">;

const BAR_COLUMNS = 20;
const NAMES = { system: "system text", tools: "tools", messages: "messages" } as const;

/** Renders what fills the context window: a line for each part, with its share, and one for what is free. */
export function contextText(answer: ContextAnswer): string {
  const { model, used_tokens: used, window_tokens: window, limit_tokens: limit, parts } = answer;
  if (model === undefined) return "Nothing was sent to a model yet.";
  const of =
    window === undefined
      ? " tokens; its window is unknown"
      : ` of ${grouped(window)} tokens${share(used, window)}`;
  const head = `${neutraliseLine(model)}: ${grouped(used)}${of}`;
  const rows = parts.map((part) => ({ name: nameOf(part), tokens: part.tokens }));
  const all = window === undefined ? rows : [...rows, { name: "free", tokens: Math.max(0, window - used) }];
  const nameWidth = Math.max(...all.map(({ name }) => name.length));
  const tokensWidth = Math.max(...all.map(({ tokens }) => grouped(tokens).length));
  const whole = Math.max(1, window ?? used);
  const lines = all.map(({ name, tokens }) => {
    const bar = "#".repeat(Math.round((tokens / whole) * BAR_COLUMNS));
    return `  ${name.padEnd(nameWidth)}  ${grouped(tokens).padStart(tokensWidth)}  ${bar}`.trimEnd();
  });
  const shortened =
    limit === undefined ? [] : [`The conversation is made shorter above ${grouped(limit)} tokens.`];
  return [head, ...lines, ...shortened].join("\n");
}

function nameOf({ kind, name, count: number }: ContextAnswer["parts"][number]): string {
  if (kind === "tools") return count(number ?? 0, "tool");
  return `${NAMES[kind]}: ${neutraliseLine(name)}`;
}

function share(part: number, whole: number): string {
  return whole === 0 ? "" : ` (${Math.round((part / whole) * 100)} %)`;
}
