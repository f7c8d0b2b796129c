import { assert } from "../../base/assert.ts";
import { defined } from "../../base/defined.ts";
import type { TextHunk } from "../../base/text/diff/hunks.ts";
import { count } from "../../base/text/text.ts";
import type { Files } from "../../base/world.ts";
import { ANSWER_HUNKS_MAX } from "../../protocol/commands/answer-limits.ts";
import type { Redactor } from "../../safety/redact.ts";
import type { PermissionQuestion } from "../../session/questions.ts";
import { sha256Of } from "../../tools/files/seen-files.ts";
import { replaceExact } from "../../tools/files/text/replace.ts";
import { parseText } from "../../tools/files/text/text-file.ts";
import type { AcceptedChange, CallPlan } from "../../tools/tool.ts";
import type { ProposedChange } from "../../view/texts/changes/change-preview.ts";
import { proposedChanges } from "../../view/texts/changes/change-preview.ts";
import { mayHoldCredentials } from "./judge/sensitive.ts";

/** Limit for compared files; for a larger one the question shows the call's own input. */
export const PREVIEW_BYTES_MAX = 262_144;
const CONTEXT_LINES = 2;

/** A change that a call would make to its file, as a question shows it. */
export interface PreviewedChange {
  /** The hunks of a unified diff, unescaped. */
  readonly diff: string;
  /** The same hunks, of which a person can accept some. Empty if the change is answered as a whole. */
  readonly hunks: readonly TextHunk[];
  readonly before: FileBefore;
}

/** A file as it was when a question was asked. */
interface FileBefore {
  readonly text: string;
  /** SHA-256 of its bytes, in hexadecimal. Absent if it did not exist. */
  readonly sha256?: string;
}

export interface PreviewSources {
  readonly files: Files;
  readonly redactor: Redactor;
}

/**
 * Returns the change that a call would make to its file. A person need not allow an unseen change (PERM-06), and can
 * accept a part of it (PERM-15).
 *
 * Undefined if the call changes no single file, or would fail. The same holds if the file is too large, is not text, or
 * may hold keys, which must not get into an event. A text with a secret is redacted before it is compared, since a hunk
 * may hold a part of the secret alone. It has no hunks to accept.
 */
export async function changeOnDisk(
  question: Pick<PermissionQuestion, "preview" | "args">,
  plan: CallPlan,
  { files, redactor }: PreviewSources,
): Promise<PreviewedChange | undefined> {
  const changes = proposedChanges(question.preview, question.args);
  const path = writtenPath(plan);
  if (changes.length === 0 || path === undefined) return undefined;
  const before = await fileBefore(path, files);
  const after = before === undefined ? undefined : changed(before.text, changes);
  if (before === undefined || after === undefined) return undefined;
  const { hunksOf, unifiedHunks } = await import("../../base/text/diff/hunks.ts");
  const hunks = hunksOf(before.text, after, CONTEXT_LINES);
  const [clearBefore, clearAfter] = [redactor.text(before.text), redactor.text(after)];
  if (clearBefore !== before.text || clearAfter !== after) {
    const shown = hunksOf(clearBefore, clearAfter, CONTEXT_LINES);
    return shown.length === 0 ? undefined : { diff: unifiedHunks(shown), hunks: [], before };
  }
  const isShort = hunks.length <= ANSWER_HUNKS_MAX && after.length <= PREVIEW_BYTES_MAX;
  return { diff: unifiedHunks(hunks), hunks: isShort ? hunks : [], before };
}

/** Returns the one file that a call would write; undefined if there are more, or none. */
function writtenPath({ target }: CallPlan): string | undefined {
  if (target.kind !== "paths") return undefined;
  const paths = new Set(target.paths.flatMap(({ path, access }) => (access === "write" ? [path] : [])));
  const [only] = paths;
  return paths.size === 1 ? only : undefined;
}

/** Returns the part of a shown change that a person has accepted, with a report for the model. */
export async function acceptedChange(
  { hunks, before }: PreviewedChange,
  { accepted, words }: { readonly accepted: readonly string[]; readonly words: string | undefined },
): Promise<AcceptedChange> {
  const { applyHunks, unifiedHunks } = await import("../../base/text/diff/hunks.ts");
  const applied = applyHunks(before.text, hunks, accepted);
  assert(applied.kind === "applied", "an answer names hunks of its question");
  const refused = hunks.filter(({ id }) => !accepted.includes(id));
  const { sha256 } = before;
  return {
    ...defined({ sha256 }),
    text: applied.text,
    report: [
      `A person accepted ${hunks.length - refused.length} of ${count(hunks.length, "change")}.`,
      ...(refused.length === 0 ? [] : [`Refused, and not written:\n${unifiedHunks(refused)}`]),
      ...(words === undefined ? [] : [`The user says:\n${words}`]),
    ].join("\n"),
  };
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

/** Reads a file as it is now; undefined if it must not be shown. */
async function fileBefore(path: string, files: Files): Promise<FileBefore | undefined> {
  try {
    if ((await files.stat(path)) === undefined) return { text: "" };
    const real = await files.realpath(path);
    const info = await files.stat(real);
    if (info?.kind !== "file" || mayHoldCredentials(path) || mayHoldCredentials(real)) return undefined;
    const bytes = await files.read(real, PREVIEW_BYTES_MAX);
    const text = parseText(bytes)?.text;
    return text === undefined ? undefined : { text, sha256: sha256Of(bytes) };
  } catch {
    return undefined; // the call itself will report why the file cannot be read
  }
}
