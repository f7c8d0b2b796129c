import { resolve } from "node:path";
import type { Files } from "../../base/world.ts";
import type { PermissionQuestion } from "../../session/questions.ts";
import { replaceExact } from "../../tools/files/replace.ts";
import { parseText } from "../../tools/files/text-file.ts";
import type { ProposedChange } from "../../view/texts/change-preview.ts";
import { proposedChanges } from "../../view/texts/change-preview.ts";
import { mayHoldCredentials } from "./judge/sensitive.ts";

/** A larger file is not compared: its question shows what the call itself holds. */
export const PREVIEW_BYTES_MAX = 262_144;
/** A comparison that takes longer is given up: a person waits for the question. */
const COMPARE_MS_MAX = 200;
const CONTEXT_LINES = 2;

/** Where a call would act, and what it can be looked at with. */
export interface PreviewPlace {
  readonly cwd: string;
  readonly files: Files;
}

/**
 * The question with the change that the call would make to its file, as a unified diff, so that a person need not
 * allow what they cannot see (PERM-06).
 *
 * Without one where the call changes no single file, would fail, or the file is too large, is no text, or looks like
 * one that holds keys: what it holds has no place in an event.
 */
export async function withChange(
  question: PermissionQuestion,
  place: PreviewPlace,
): Promise<PermissionQuestion> {
  const changes = proposedChanges(question.preview, question.args);
  const [first] = changes;
  if (first === undefined) return question;
  const before = await textOf(resolve(place.cwd, first.path), place.files);
  const after = before === undefined ? undefined : changed(before, changes);
  if (before === undefined || after === undefined) return question;
  const diff = await unified(before, after);
  return diff === undefined ? question : { ...question, diff };
}

/** Applies each change to the result of the one before; undefined if one of them would be refused. */
function changed(text: string, changes: readonly ProposedChange[]): string | undefined {
  let result = text;
  for (const { before, after, everywhere } of changes) {
    if (before === undefined) {
      result = after;
      continue;
    }
    const replaced = replaceExact(result, { old_string: before, new_string: after, replace_all: everywhere });
    if (replaced.kind === "refused") return undefined;
    result = replaced.text;
  }
  return result;
}

/** The text of a file as it is now, empty where there is none yet; undefined where it is not to be shown. */
async function textOf(path: string, files: Files): Promise<string | undefined> {
  try {
    if ((await files.stat(path)) === undefined) return "";
    const real = await files.realpath(path);
    const info = await files.stat(real);
    if (info?.kind !== "file" || mayHoldCredentials(path) || mayHoldCredentials(real)) return undefined;
    return parseText(await files.read(real, PREVIEW_BYTES_MAX))?.text;
  } catch {
    return undefined; // the call itself will say why the file cannot be read
  }
}

async function unified(before: string, after: string): Promise<string | undefined> {
  const { structuredPatch } = await import("diff");
  const options = { context: CONTEXT_LINES, timeout: COMPARE_MS_MAX };
  const patch = structuredPatch("", "", before, after, "", "", options);
  return patch?.hunks
    .flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
      `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`,
      ...lines,
    ])
    .join("\n");
}
