import { unreachable } from "../../../base/assert.ts";
import { grouped } from "../../../base/text/text.ts";
import { neutralise } from "../../terminal/terminal-text.ts";
import { callSummary } from "../../texts/call-summary.ts";
import type { CallItem, TranscriptItem } from "../items.ts";
import type { Transcript } from "../transcript.ts";
import { callDiff, callOutput, itemSource } from "./item-source.ts";

const INDENT = "    ";
const NOT_LOADED = "[earlier messages are not loaded]";

/**
 * Returns a whole transcript as text for a pager, an editor or a file: prompts behind ">", answers as Markdown, calls
 * with all of their output. Nothing in it can drive a terminal.
 */
export function transcriptText({ segments }: Transcript): string {
  const texts = segments.flatMap(({ items }) => (items === undefined ? [NOT_LOADED] : items.map(textOfItem)));
  const shown = texts.filter((text, at) => text !== "" && (text !== NOT_LOADED || texts[at - 1] !== text));
  return shown.length === 0 ? "" : `${shown.map(neutralise).join("\n\n")}\n`;
}

function textOfItem(item: TranscriptItem): string {
  const source = itemSource(item);
  switch (item.kind) {
    case "prompt":
      return prefixed(source, "> ");
    case "text":
      return source;
    case "thinking":
      return prefixed(source, "∴ ");
    case "call":
      return callText(item);
    case "note":
    case "end":
      return source === "" ? "" : `— ${source}`;
    default:
      return unreachable(item);
  }
}

function callText(call: CallItem): string {
  const { outputLeftOut = 0, itemsLeftOut = 0 } = call;
  const name = callSummary(call.shell === undefined ? call.tool : call.shell.toModel ? "!" : "!!", call.args);
  const parts = [
    ...(itemsLeftOut > 0 ? [`… ${grouped(itemsLeftOut)} older items`] : []),
    ...call.items.map(textOfItem),
    callDiff(call),
    ...(outputLeftOut > 0 ? [`… ${grouped(outputLeftOut)} characters before`] : []),
    callOutput(call),
  ];
  const body = parts.filter((part) => part !== "").map((part) => `\n${prefixed(part, INDENT)}`);
  return `● ${name} (${call.state})${body.join("")}`;
}

function prefixed(text: string, prefix: string): string {
  return text
    .split("\n")
    .map((line) => (line === "" ? prefix.trimEnd() : `${prefix}${line}`))
    .join("\n");
}
