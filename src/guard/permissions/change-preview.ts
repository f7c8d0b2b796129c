import { resolve } from "node:path";
import type { Files } from "../../base/world.ts";
import type { PermissionQuestion } from "../../session/questions.ts";
import { replaceExact } from "../../tools/files/text/replace.ts";
import { parseText } from "../../tools/files/text/text-file.ts";
import type { ProposedChange } from "../../view/texts/change-preview.ts";
import { proposedChanges } from "../../view/texts/change-preview.ts";
import { mayHoldCredentials } from "./judge/sensitive.ts";

/** Limit for compared files; for a larger one the question shows the call's own input. */
export const PREVIEW_BYTES_MAX = 262_144;
const CONTEXT_LINES = 2;

/** Working directory of a call, and access to its files. */
export interface PreviewContext {
  readonly cwd: string;
  readonly files: Files;
}

/**
 * Returns the question with the change that the call would make to its file, as a unified diff. A person need not
 * allow an unseen change (PERM-06).
 *
 * Returns the question unchanged if the call changes no single file, or would fail. The same holds if the file is too
 * large, is not text, or may hold keys, which must not get into an event.
 */
export async function withChangePreview(
  question: PermissionQuestion,
  place: PreviewContext,
): Promise<PermissionQuestion> {
  const changes = proposedChanges(question.preview, question.args);
  const [first] = changes;
  if (first === undefined) return question;
  const before = await textOf(resolve(place.cwd, first.path), place.files);
  const after = before === undefined ? undefined : changed(before, changes);
  if (before === undefined || after === undefined) return question;
  const { hunksOf, unifiedHunks } = await import("../../base/text/diff/hunks.ts");
  return { ...question, diff: unifiedHunks(hunksOf(before, after, CONTEXT_LINES)) };
}

/** Applies each change to the result of the previous one; undefined if one of them would be refused. */
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

/** Reads a file as it is now, "" if it does not exist yet; undefined if it must not be shown. */
async function textOf(path: string, files: Files): Promise<string | undefined> {
  try {
    if ((await files.stat(path)) === undefined) return "";
    const real = await files.realpath(path);
    const info = await files.stat(real);
    if (info?.kind !== "file" || mayHoldCredentials(path) || mayHoldCredentials(real)) return undefined;
    return parseText(await files.read(real, PREVIEW_BYTES_MAX))?.text;
  } catch {
    return undefined; // the call itself will report why the file cannot be read
  }
}
