import { defined } from "../../base/defined.ts";
import { count } from "../../base/text/text.ts";
import type { InputOf } from "../arguments.ts";
import { FILE_PATH } from "../arguments.ts";
import { addedMarker } from "../chain/redaction-marker.ts";
import { textOutput } from "../output.ts";
import type { ResolvedPath } from "../paths.ts";
import { pathPlan, resolvePath } from "../paths.ts";
import type { AcceptedChange, CallPlan, Tool, ToolContext } from "../tool.ts";
import { ToolFailure } from "../tool.ts";
import type { ToolFacts } from "../tool-facts.ts";
import { acceptedBytes, assertAsAsked } from "./accepted-change.ts";
import { openPlanned } from "./open-planned.ts";
import { isUnchanged, readWhole, sha256Of } from "./seen-files.ts";
import { storeFile } from "./store-file.ts";
import { lineCount } from "./text/text-file.ts";

interface WritePlan extends CallPlan {
  readonly file: ResolvedPath;
  readonly content: string;
}

export const WRITE_FACTS: ToolFacts = {
  name: "Write",
  packs: ["fs"],
  effect: "writes-files",
  subject: "file_path",
  mutating: true,
  level: "WorkspaceWrite",
  autoAllowed: "never",
  output: "own",
  kind: "edit",
  preview: { path: "file_path", new: "content" },
  inSubAgents: "granted",
};

const INPUT = {
  type: "object",
  properties: { file_path: { type: "string" }, content: { type: "string" } },
  required: ["file_path", "content"],
} as const;

/** Creates a file or replaces one that the model has read, in one step (TOOL-01). */
export const writeTool: Tool<WritePlan> = {
  ...WRITE_FACTS,
  description: "Creates a file with its folders, or replaces the whole of one that was read before.",
  aliases: { ...FILE_PATH, text: "content", contents: "content" },
  inputSchema: INPUT,
  async plan(input, context) {
    const { file_path, content } = input as InputOf<typeof INPUT>;
    const file = await resolvePath(file_path, context);
    return { ...pathPlan("Write", file, ["write"]), file, content };
  },
  async run({ file, content, accepted }, context) {
    const before = await replaceable(file, context, accepted);
    const text = accepted?.text ?? content;
    const marker = addedMarker(before.text, text);
    if (marker !== undefined) throw new ToolFailure(markerRefusal(file.shown, marker));
    const whole = textBytes(file, text);
    const bytes = accepted === undefined ? whole : acceptedBytes(accepted, before.bytes);
    await storeFile(file, { bytes, context, before });
    const verb = accepted !== undefined ? "Changed" : before.exists ? "Replaced" : "Created";
    const done = `${verb} ${file.shown} (${count(lineCount(text), "line")}).`;
    return textOutput(accepted === undefined ? done : `${done} ${accepted.report}`);
  },
};

/** Returns the refusal of new content that contains a redaction marker. */
export function markerRefusal(shown: string, marker: string): string {
  return `${shown}: the new content holds ${marker}, which stands for a secret that is not shown. Leave that part of the file as it is`;
}

interface Before {
  readonly exists: boolean;
  readonly text: string;
  readonly bytes?: Uint8Array;
  readonly mode?: number;
}

/** Reads the file to replace. Refuses if the model has not seen its current content. */
async function replaceable(
  target: ResolvedPath,
  context: ToolContext,
  accepted: AcceptedChange | undefined,
): Promise<Before> {
  const opened = await openPlanned(target, context);
  if (opened === undefined) {
    if (accepted !== undefined) assertAsAsked(accepted, "none", target.shown);
    return { exists: false, text: "" };
  }
  await using file = opened;
  const bytes = await readWhole(file);
  if (accepted !== undefined) assertAsAsked(accepted, bytes, target.shown);
  const seen = context.workspace.seen.get(target.path);
  if (seen === undefined) throw new ToolFailure(`${target.shown} exists and was not read yet: Read it first`);
  if (!isUnchanged(seen, file.info, bytes === undefined ? "" : sha256Of(bytes))) {
    throw new ToolFailure(staleText(target.shown));
  }
  return {
    exists: true,
    text: bytes === undefined ? "" : new TextDecoder().decode(bytes),
    ...defined({ bytes }),
    mode: file.info.mode,
  };
}

export function staleText(shown: string): string {
  return `${shown} changed since it was read: Read it again`;
}

function textBytes(file: ResolvedPath, content: string): Uint8Array {
  if (!content.isWellFormed())
    throw new ToolFailure(`${file.shown}: the content holds half a character (a lone surrogate)`);
  return new TextEncoder().encode(content);
}
