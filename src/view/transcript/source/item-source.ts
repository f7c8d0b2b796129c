import { unreachable } from "../../../base/assert.ts";
import { sizeText } from "../../../base/text/size-text.ts";
import { callSummary } from "../../texts/call-summary.ts";
import type { ProposedChange } from "../../texts/changes/change-preview.ts";
import { proposedChanges } from "../../texts/changes/change-preview.ts";
import { endingText } from "../../texts/ending-text.ts";
import type { CallItem, PromptBlock, TranscriptItem } from "../items.ts";
import { streamedSource } from "../streamed-text.ts";
import { proposedHunks } from "./proposed-hunks.ts";

/** A character of base64 is three quarters of a byte. */
const BYTES_PER_CHARACTER = 0.75;

/**
 * Returns the text of an item as it came, for a clipboard or an editor: the Markdown of an answer, the change of a call
 * as a unified diff, else its output, else the call. It is not safe to print.
 */
export function itemSource(item: TranscriptItem): string {
  switch (item.kind) {
    case "prompt":
      return item.content.map(promptBlockText).join("\n");
    case "text":
    case "thinking":
      return streamedSource(item.streamed).trimEnd();
    case "call":
      return callSource(item);
    case "note":
      return item.text;
    case "end":
      return item.isSaid === true ? "" : (endingText(item.reason) ?? "");
    default:
      return unreachable(item);
  }
}

/** Returns the text of a block of a prompt: of media, its kind, type and size. */
export function promptBlockText(block: PromptBlock): string {
  if (block.type === "text") return block.text;
  const bytes = Math.floor(block.characters * BYTES_PER_CHARACTER);
  return `[${block.type}: ${block.mediaType}, ${sizeText(bytes)}]`;
}

/** Returns the change that a call has made or proposes, as a unified diff; empty for none, and if it was cut. */
export function callDiff({ diff, preview, args, areArgsCut }: CallItem): string {
  const proposed = areArgsCut === true ? [] : proposedChanges(preview, args);
  return (diff ?? proposed.map(diffText).join("")).trimEnd();
}

/** Returns the output of a call without the line ends behind it: while it runs, as much as is known. */
export function callOutput({ state, progress, output }: CallItem): string {
  const known = state === "running" ? (progress?.tail ?? output) : output;
  return known.replace(/\n+$/, "");
}

function callSource(call: CallItem): string {
  return callDiff(call) || callOutput(call) || callSummary(call.tool, call.args);
}

/** Returns a proposed change as a unified diff. A part of a file has no line numbers. */
function diffText(change: ProposedChange): string {
  const { path, before } = change;
  const hunks = proposedHunks(change).map((hunk) => {
    const { old_start, old_lines, new_start, new_lines, lines } = hunk;
    const place = before === undefined ? ` -${old_start},${old_lines} +${new_start},${new_lines} ` : " ";
    return `@@${place}@@\n${lines.map((line) => (line.endsWith("\n") ? line : `${line}\n`)).join("")}`;
  });
  return `--- ${before === undefined ? "/dev/null" : path}\n+++ ${path}\n${hunks.join("")}`;
}
