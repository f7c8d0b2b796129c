import { head } from "../../base/text.ts";
import type { Message } from "../../protocol/message.ts";

const SHOWN_CHARACTERS = 160;

interface Comparable {
  readonly tools: readonly string[];
  readonly messages: readonly Message[];
}

/** Where two requests first differ, in words and with both texts, for a person who wonders why nothing matched. */
export function difference(recorded: Comparable & { readonly line: number }, asked: Comparable): string {
  const at = recorded.messages.findIndex(
    (message, index) => JSON.stringify(message) !== JSON.stringify(asked.messages[index]),
  );
  const [place, before, now] =
    at === -1
      ? ["the declared tools", recorded.tools.join(", "), asked.tools.join(", ")]
      : [
          `message ${at + 1} (${asked.messages[at]?.role ?? "missing"})`,
          readable(recorded.messages[at]),
          readable(asked.messages[at]),
        ];
  const from = firstDifference(before, now);
  return [
    `They differ in ${place}, recorded in line ${recorded.line}, at character ${from + 1}:`,
    `- recorded: ${excerpt(before, from)}`,
    `+ now:      ${excerpt(now, from)}`,
  ].join("\n");
}

function readable(message: Message | undefined): string {
  if (message === undefined) return "(nothing)";
  return message.content
    .map((block) => {
      switch (block.type) {
        case "text":
          return block.text;
        case "tool_result":
          return block.content
            .map((inner) => (inner.type === "text" ? inner.text : `(${inner.type})`))
            .join("\n");
        case "tool_use":
          return `${block.name} ${JSON.stringify(block.input)}`;
        default:
          return JSON.stringify(block);
      }
    })
    .join("\n");
}

function firstDifference(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  return at;
}

function excerpt(text: string, from: number): string {
  const start = Math.max(0, from - SHOWN_CHARACTERS / 4);
  const shown = head(text.slice(start), SHOWN_CHARACTERS).toWellFormed();
  return JSON.stringify(`${start > 0 ? "…" : ""}${shown}${start + shown.length < text.length ? "…" : ""}`);
}
