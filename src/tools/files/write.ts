import { count } from "../../base/text/text.ts";
import type { InputOf } from "../arguments.ts";
import { FILE_PATH } from "../arguments.ts";
import { addedMarker } from "../chain/redaction-marker.ts";
import { textOutput } from "../output.ts";
import type { ResolvedPath } from "../paths.ts";
import { pathPlan, resolvePath } from "../paths.ts";
import type { CallPlan, Tool, ToolContext } from "../tool.ts";
import { ToolFailure } from "../tool.ts";
import type { ToolFacts } from "../tool-facts.ts";
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
  async run({ file, content }, context) {
    const before = await replaceable(file, context);
    const marker = addedMarker(before.text, content);
    if (marker !== undefined) throw new ToolFailure(markerRefusal(file.shown, marker));
    await storeFile(file, { bytes: textBytes(file, content), context, before });
    const verb = before.exists ? "Replaced" : "Created";
    return textOutput(`${verb} ${file.shown} (${count(lineCount(content), "line")}).`);
  },
};

/** Returns the refusal of new content that contains a redaction marker. */
export function markerRefusal(shown: string, marker: string): string {
  return `${shown}: the new content holds ${marker}, which stands for a secret that is not shown. Leave that part of the file as it is`;
}

interface Before {
  readonly exists: boolean;
  readonly text: string;
  readonly mode?: number;
}

/** Reads the file to replace. Refuses if the model has not seen its current content. */
async function replaceable(target: ResolvedPath, context: ToolContext): Promise<Before> {
  const opened = await openPlanned(target, context);
  if (opened === undefined) return { exists: false, text: "" };
  await using file = opened;
  const seen = context.workspace.seen.get(target.path);
  if (seen === undefined) throw new ToolFailure(`${target.shown} exists and was not read yet: Read it first`);
  const bytes = await readWhole(file);
  if (!isUnchanged(seen, file.info, bytes === undefined ? "" : sha256Of(bytes))) {
    throw new ToolFailure(staleText(target.shown));
  }
  return {
    exists: true,
    text: bytes === undefined ? "" : new TextDecoder().decode(bytes),
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
