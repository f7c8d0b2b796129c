import { canonicalJson } from "../../base/json.ts";
import { head } from "../../base/text/text.ts";
import type { Message } from "../../protocol/message.ts";

const SHOWN_CHARACTERS = 160;

interface Comparable {
  readonly tools: readonly string[];
  readonly messages: readonly Message[];
}

/** Describes where two requests first differ, with both texts, for a person who wonders why nothing matched. */
export function describeDifference(
  recorded: Comparable & { readonly line: number },
  asked: Comparable,
): string {
  const at = firstDifferent(recorded.messages, asked.messages);
  const start = `It differs from the request recorded in line ${recorded.line} of the file`;
  if (at === undefined) return `${start} in the declared tools:\n${toolLines(recorded.tools, asked.tools)}`;
  const [before, now] = texts(recorded.messages[at], asked.messages[at]);
  const line = firstDifferent(before, now) ?? 0;
  return [
    `${start} in message ${at + 1} (${describe(asked.messages[at] ?? recorded.messages[at])}), at its line ${line + 1}:`,
    ...lineTexts(before[line], now[line]),
  ].join("\n");
}

function toolLines(recorded: readonly string[], asked: readonly string[]): string {
  const missing = recorded.filter((name) => !asked.includes(name));
  const added = asked.filter((name) => !recorded.includes(name));
  return [
    ...(missing.length === 0 ? [] : [`- recorded, not there now: ${missing.join(", ")}`]),
    ...(added.length === 0 ? [] : [`+ there now, not recorded:  ${added.join(", ")}`]),
  ].join("\n");
}

function firstDifferent(a: readonly unknown[], b: readonly unknown[]): number | undefined {
  for (let at = 0; at < Math.max(a.length, b.length); at++) {
    if (canonicalJson(a[at]) !== canonicalJson(b[at])) return at;
  }
  return undefined;
}

function describe(message: Message | undefined): string {
  if (message?.role === "assistant") return "of the model";
  return message?.content.some((block) => block.type === "tool_result") === true
    ? "the result of a call"
    : "the input";
}

/** Returns the lines of two messages as people read them; as JSON if they read the same and still differ. */
function texts(recorded: Message | undefined, asked: Message | undefined): readonly [string[], string[]] {
  const [before, now] = [readable(recorded), readable(asked)];
  if (before.join("\n") !== now.join("\n")) return [before, now];
  return [[canonicalJson(recorded)], [canonicalJson(asked)]];
}

function readable(message: Message | undefined): string[] {
  if (message === undefined) return [];
  return message.content
    .map((block) => {
      switch (block.type) {
        case "text":
          return block.text;
        case "tool_result":
          return block.content
            .map((inner) => (inner.type === "text" ? inner.text : canonicalJson(inner)))
            .join("\n");
        case "tool_use":
          return `${block.name} ${canonicalJson(block.input)}`;
        default:
          return canonicalJson(block);
      }
    })
    .join("\n")
    .split("\n");
}

function lineTexts(recorded: string | undefined, asked: string | undefined): readonly string[] {
  const from = recorded === undefined || asked === undefined ? 0 : firstDifferentUnit(recorded, asked);
  return [`- recorded: ${excerpt(recorded, from)}`, `+ now:      ${excerpt(asked, from)}`];
}

function firstDifferentUnit(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  return at;
}

function excerpt(line: string | undefined, from: number): string {
  if (line === undefined) return "(nothing)";
  const start = line.length <= SHOWN_CHARACTERS ? 0 : Math.max(0, from - SHOWN_CHARACTERS / 4);
  const shown = head(line.slice(start), SHOWN_CHARACTERS).toWellFormed();
  return `${start > 0 ? "…" : ""}${shown}${start + shown.length < line.length ? "…" : ""}`;
}
