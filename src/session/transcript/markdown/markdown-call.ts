import { isObject, stringAt } from "../../../base/json.ts";
import { grouped, head, shortened } from "../../../base/text/text.ts";
import type { ResultContent } from "../../../protocol/content.ts";
import type { PayloadOf } from "../../../protocol/events/events.ts";
import { callSummary } from "../../../view/texts/call-summary.ts";
import { codeBlock, escapeHtml } from "./markdown-text.ts";

/** UTF-16 units shown of one argument or result; the JSONL export has all of it. */
export const SHOWN_UNITS_MAX = 20_000;
const SUMMARY_UNITS_MAX = 100;

export type StartedCall = Pick<PayloadOf<"ToolCallStarted">, "tool" | "args">;

/** Renders a call and its result, folded: the visible line shows the call and its outcome. */
export function renderCall({ tool, args }: StartedCall, result: PayloadOf<"ToolResult"> | undefined): string {
  const summary = escapeHtml(shortened(callSummary(tool, args), SUMMARY_UNITS_MAX));
  const state = result === undefined ? "no result" : result.isError === true ? "failed" : "ok";
  return [
    "<details>",
    `<summary><code>${summary}</code> · ${state}</summary>`,
    "",
    argumentsText(args),
    ...(result === undefined ? [] : ["", resultText(result.content)]),
    "",
    "</details>",
  ].join("\n");
}

function argumentsText(args: unknown): string {
  const command = stringAt(args, "command");
  if (command !== undefined && isObject(args) && Object.keys(args).length === 1) {
    return limitedBlock(command, "sh");
  }
  return typeof args === "string"
    ? limitedBlock(args, "text")
    : limitedBlock(JSON.stringify(args, null, 2) ?? "", "json");
}

function resultText(content: readonly ResultContent[]): string {
  const text = content.map((part) => (part.type === "text" ? part.text : `(${part.type})`)).join("\n");
  return text.trim() === "" ? "No output." : limitedBlock(text, "text");
}

function limitedBlock(text: string, language: string): string {
  const shown = head(text, SHOWN_UNITS_MAX);
  const hiddenCharacters = text.length - shown.length;
  const more =
    hiddenCharacters === 0 ? "" : `\n\n${grouped(hiddenCharacters)} characters more are in the JSONL export.`;
  return `${codeBlock(shown, language)}${more}`;
}
