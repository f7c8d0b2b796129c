import { count } from "../../base/text/text.ts";
import type { InputOf } from "../arguments.ts";
import { FILE_PATH } from "../arguments.ts";
import { addedMarker } from "../chain/redaction-marker.ts";
import { textOutput } from "../output.ts";
import type { ResolvedPath } from "../paths.ts";
import { escapeControls, fileFailure, pathPlan, resolvePath } from "../paths.ts";
import type { AcceptedChange, CallPlan, Tool, ToolContext, ToolOutput } from "../tool.ts";
import { ToolFailure } from "../tool.ts";
import type { ToolFacts } from "../tool-facts.ts";
import { assertAsAsked } from "./accepted-change.ts";
import { openPlanned } from "./open-planned.ts";
import { isUnchanged, readWhole, sha256Of, WHOLE_BYTES_MAX } from "./seen-files.ts";
import { storeFile } from "./store-file.ts";
import { renderExcerpt } from "./text/excerpt.ts";
import type { Region, Replacement } from "./text/replace.ts";
import { replaceExact } from "./text/replace.ts";
import type { FileText } from "./text/text-file.ts";
import { parseText, renderText } from "./text/text-file.ts";
import { markerRefusal, staleText } from "./write.ts";

export interface EditPlan extends CallPlan {
  readonly file: ResolvedPath;
  readonly edits: readonly Replacement[];
}

export const EDIT_FACTS: ToolFacts = {
  name: "Edit",
  packs: ["fs"],
  effect: "writes-files",
  subject: "file_path",
  mutating: true,
  level: "WorkspaceWrite",
  autoAllowed: "never",
  output: "own",
  kind: "edit",
  preview: { path: "file_path", old: "old_string", new: "new_string", all: "replace_all" },
  inSubAgents: "granted",
};

const INPUT = {
  type: "object",
  properties: {
    file_path: { type: "string" },
    old_string: { type: "string" },
    new_string: { type: "string" },
    replace_all: { type: "boolean" },
  },
  required: ["file_path", "old_string", "new_string"],
} as const;

/** Replaces one exact text in a file (TOOL-01). */
export const editTool: Tool<EditPlan> = {
  ...EDIT_FACTS,
  description: "Replaces exact text in a file. old_string must match once or replace_all.",
  aliases: {
    ...FILE_PATH,
    old_str: "old_string",
    new_str: "new_string",
    old_text: "old_string",
    new_text: "new_string",
  },
  inputSchema: INPUT,
  plan(input, context) {
    const { file_path, ...replacement } = input as InputOf<typeof INPUT>;
    return planEdits("Edit", { file_path, edits: [replacement], context });
  },
  run: runEdits,
};

interface Edits {
  readonly file_path: string;
  readonly edits: readonly Replacement[];
  readonly context: ToolContext;
}

/**
 * Plans the edits of one file. An edit shows lines around its change, so the plan includes reading. A missing file
 * fails before anybody is asked.
 */
export async function planEdits(tool: string, { file_path, edits, context }: Edits): Promise<EditPlan> {
  const file = await resolvePath(file_path, context);
  if (file.info === undefined) throw noFile(file);
  return { ...pathPlan(tool, file, ["read", "write"]), file, edits };
}

/** Runs all edits of a plan, each on the result of the previous one, or none of them. */
export async function runEdits(
  { file, edits, accepted }: EditPlan,
  context: ToolContext,
): Promise<ToolOutput> {
  const before = await editable(file, context, accepted);
  const { text, regions } =
    accepted === undefined ? applied(file, before.text, edits) : { text: accepted.text, regions: [] };
  const marker = addedMarker(before.text.text, text);
  if (marker !== undefined) throw new ToolFailure(markerRefusal(file.shown, marker));
  await storeFile(file, { bytes: renderText({ ...before.text, text }), context, before });
  if (accepted !== undefined) return textOutput(`Edited ${file.shown}. ${accepted.report}`);
  const replacements = count(regions.length, "replacement");
  return textOutput(`Edited ${file.shown} (${replacements}):\n${renderExcerpt(text, regions)}`);
}

function noFile({ shown }: ResolvedPath): ToolFailure {
  return new ToolFailure(`There is no file ${escapeControls(shown)}: Write creates one`);
}

interface Editable {
  readonly text: FileText;
  readonly mode: number;
}

async function editable(
  target: ResolvedPath,
  context: ToolContext,
  accepted: AcceptedChange | undefined,
): Promise<Editable> {
  const opened = await openPlanned(target, context);
  if (opened === undefined) {
    if (accepted !== undefined) assertAsAsked(accepted, "none", target.shown);
    throw noFile(target); // deleted since the plan
  }
  await using file = opened;
  try {
    const bytes = await readWhole(file);
    if (accepted !== undefined) assertAsAsked(accepted, bytes, target.shown);
    if (bytes === undefined) {
      throw new ToolFailure(
        `${target.shown} has more than ${WHOLE_BYTES_MAX / 1024 / 1024} MB: Edit cannot take it`,
      );
    }
    const seen = context.workspace.seen.get(target.path);
    if (seen !== undefined && !isUnchanged(seen, file.info, sha256Of(bytes))) {
      throw new ToolFailure(staleText(target.shown));
    }
    const text = parseText(bytes);
    if (text === undefined)
      throw new ToolFailure(`${target.shown} is not wholly text (UTF-8, or UTF-16 with a mark)`);
    return { text, mode: file.info.mode };
  } catch (thrown) {
    throw fileFailure(thrown, target.shown);
  }
}

interface Applied {
  readonly text: string;
  readonly regions: readonly Region[];
}

function applied(file: ResolvedPath, original: FileText, edits: readonly Replacement[]): Applied {
  let text = original.text;
  let regions: readonly Region[] = [];
  for (const [index, replacement] of edits.entries()) {
    const result = replaceExact(text, replacement);
    if (result.kind === "refused") {
      const which = edits.length === 1 ? "" : `edit ${index + 1} of ${edits.length}: `;
      throw new ToolFailure(`${file.shown}: ${which}${result.why}. Nothing was changed`);
    }
    regions = [
      ...moved(regions, { before: text, after: result.text, by: result.regions }),
      ...result.regions,
    ];
    text = result.text;
  }
  return { text, regions };
}

interface Move {
  readonly before: string;
  readonly after: string;
  readonly by: readonly Region[];
}

/** Moves earlier regions by the growth of each later replacement before them. */
function moved(regions: readonly Region[], { before, after, by }: Move): readonly Region[] {
  const growth = by.length === 0 ? 0 : (after.length - before.length) / by.length;
  const move = (place: number) => {
    const earlier = by.filter((region, i) => region.start - i * growth < place).length;
    return Math.max(0, Math.min(after.length, place + earlier * growth));
  };
  return regions.map(({ start, end }) => ({ start: move(start), end: Math.max(move(start), move(end)) }));
}
