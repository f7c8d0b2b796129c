import { resolve } from "node:path";
import type {
  ContentBlock,
  ToolCallContent,
  ToolCallLocation,
  ToolCallUpdate,
  ToolKind,
} from "@agentclientprotocol/sdk/unstable";
import { defined } from "../../../../base/defined.ts";
import { numberAt, stringAt } from "../../../../base/json.ts";
import type { ResultContent } from "../../../../protocol/content.ts";
import type { PayloadOf } from "../../../../protocol/events/events.ts";
import { withoutFenceTags } from "../../../../view/input-text.ts";
import {
  partLines,
  permissionHeading,
  permissionReason,
  questionEndText,
} from "../../../../view/questions/question-words.ts";
import { callSummary } from "../../../../view/texts/call-summary.ts";
import type { ProposedChange } from "../../../../view/texts/changes/change-preview.ts";
import { proposedChanges } from "../../../../view/texts/changes/change-preview.ts";

/** Fields of an event that an editor is shown. */
type Call = Pick<PayloadOf<"ToolCallStarted">, "tool" | "args" | "toolKind" | "preview">;

/** A call as an editor shows it: a title, the files that it names, and its changes to them. */
export interface ShownCall {
  readonly title: string;
  readonly name: string;
  readonly kind: ToolKind;
  readonly rawInput: unknown;
  readonly locations: ToolCallLocation[];
  readonly content: ToolCallContent[];
}

/** Returns a call as an editor shows it. Relative paths start from `workingDir`: an editor knows only absolute ones. */
export function shownCall({ tool, args, toolKind = "other", preview }: Call, workingDir: string): ShownCall {
  const named = stringAt(args, "file_path") ?? stringAt(args, "path");
  const path = named === undefined || named === "" ? undefined : resolve(workingDir, named);
  return {
    title: callSummary(tool, args),
    name: tool,
    kind: toolKind,
    rawInput: args,
    locations: path === undefined ? [] : [{ path, ...defined({ line: lineOf(args) }) }],
    content: proposedChanges(preview, args).map((change) => diffContent(change, workingDir)),
  };
}

/** Returns the first line, from 1, that a call reads of its file; undefined if it names none. */
function lineOf(args: unknown): number | undefined {
  const line = numberAt(args, "offset");
  return line !== undefined && Number.isInteger(line) && line >= 1 ? line : undefined;
}

/**
 * Returns the call of a permission question, with everything that would run and the changes that it would make in a
 * file (PERM-06).
 */
export function askedCall(request: PayloadOf<"PermissionRequested">, workingDir: string): ToolCallUpdate {
  const { callId, summary, reason, diff, why } = request;
  const call = shownCall(request, workingDir);
  const [location] = call.locations;
  const compared = diff === undefined || location === undefined ? [] : hunks(diff, location.path);
  const parts = partLines(request).join("\n");
  // The reason of a question about the network names its setting already.
  const end = why === undefined || why.cause === "network" ? undefined : questionEndText(why);
  const changed = diff === undefined || location === undefined ? [] : changedLines(diff, location.path);
  return {
    toolCallId: callId,
    ...call,
    ...(changed.length === 0 ? {} : { locations: changed }),
    status: "pending",
    content: [
      textContent(verbatimLine(permissionHeading(request))),
      textContent(verbatim(summary)),
      ...(parts === "" ? [] : [textContent(verbatim(parts))]),
      ...(reason === undefined ? [] : [textContent(verbatimLine(permissionReason(reason)))]),
      ...(end === undefined ? [] : [textContent(verbatimLine(end))]),
      ...(compared.length > 0 ? compared : call.content),
    ],
  };
}

/**
 * Returns the output of a call. Text of a tool is untrusted: as a block of code nothing in it is a link or an image.
 */
export function resultContent(content: readonly ResultContent[]): ToolCallContent[] {
  return content.flatMap((block): ToolCallContent[] => {
    if (block.type === "text")
      return block.text === "" ? [] : [textContent(verbatim(withoutFenceTags(block.text)))];
    const { data, media_type: mimeType } = block.source;
    return [{ type: "content", content: { type: block.type, data, mimeType } }];
  });
}

export function textContent(text: string): ToolCallContent {
  return { type: "content", content: textBlock(text) };
}

export function textBlock(text: string): ContentBlock {
  return { type: "text", text };
}

/** Renders text as a block of code that no text in it can end. */
export function verbatim(text: string): string {
  const longest = [...text.matchAll(/`{3,}/g)].reduce((most, [run]) => Math.max(most, run.length), 2);
  const ticks = "`".repeat(longest + 1);
  return `${ticks}\n${text}${text.endsWith("\n") ? "" : "\n"}${ticks}`;
}

/** Renders one line of untrusted text in which nothing is markup. */
export function verbatimLine(text: string): string {
  return text.replaceAll(/[\\`*_{}[\]<>!|#]/g, "\\$&").replaceAll(/\s*\n\s*/g, " ");
}

function diffContent({ path, before, after }: ProposedChange, workingDir: string): ToolCallContent {
  const oldText = defined({ oldText: before });
  return { type: "diff", path: resolve(workingDir, path), ...oldText, newText: after };
}

/** Returns the first line of each hunk, as it will be after the change. */
function changedLines(diff: string, path: string): ToolCallLocation[] {
  return [...diff.matchAll(/^@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@/gm)].map(([, line]) => ({
    path,
    line: Math.max(1, Number(line)),
  }));
}

/** Returns each hunk of a unified diff as the text before and after it. */
function hunks(diff: string, path: string): ToolCallContent[] {
  return diff
    .split(/^@@.*@@.*\n?/m)
    .filter((hunk) => hunk !== "")
    .map((hunk) => {
      const lines = hunk.replace(/\n$/, "").split("\n");
      const side = (mark: string) =>
        lines
          .filter((line) => line.startsWith(mark) || line.startsWith(" "))
          .map((line) => line.slice(1))
          .join("\n");
      const oldText = side("-");
      const isNew = lines.every((line) => !line.startsWith("-") && !line.startsWith(" "));
      return { type: "diff", path, ...(isNew ? {} : { oldText }), newText: side("+") };
    });
}
