import type { CommandOf } from "../../../protocol/commands/commands.ts";
import type { Hunk } from "../../../protocol/events/hunk.ts";

/** Decisions of a person about the hunks of one question (PERM-15). */
export interface HunkChoice {
  /** The hunk that the next key is about. */
  readonly at: number;
  readonly decided: ReadonlyMap<string, "accepted" | "refused">;
}

export const NO_HUNK_CHOICE: HunkChoice = { at: 0, decided: new Map() };

/** Returns the choice one hunk further or back; it stops at the ends. */
export function moveHunk(choice: HunkChoice, by: 1 | -1, count: number): HunkChoice {
  return { ...choice, at: Math.max(0, Math.min(count - 1, choice.at + by)) };
}

/** Returns the choice with the current hunk decided, at the next hunk that is not. */
export function decideHunk(
  { at, decided }: HunkChoice,
  hunks: readonly Hunk[],
  verdict: "accepted" | "refused",
): HunkChoice {
  const current = hunks[at];
  if (current === undefined) return { at, decided };
  const next = new Map(decided).set(current.id, verdict);
  const isOpen = ({ id }: Hunk) => !next.has(id);
  const after = hunks.findIndex((hunk, index) => index > at && isOpen(hunk));
  const first = after >= 0 ? after : hunks.findIndex(isOpen);
  return { at: first >= 0 ? first : at, decided: next };
}

/** Returns the choice with each hunk decided that was not. */
export function decideRest(
  { at, decided }: HunkChoice,
  hunks: readonly Hunk[],
  verdict: "accepted" | "refused",
): HunkChoice {
  const all = hunks.map(({ id }) => [id, decided.get(id) ?? verdict] as const);
  return { at, decided: new Map(all) };
}

/** Returns the answer to the question; undefined while a hunk is not decided. */
export function hunkAnswer(
  { decided }: HunkChoice,
  hunks: readonly Hunk[],
): Pick<CommandOf<"AnswerPermission">, "decision" | "scope" | "hunks"> | undefined {
  if (hunks.some(({ id }) => !decided.has(id))) return undefined;
  const accepted = hunks.filter(({ id }) => decided.get(id) === "accepted").map(({ id }) => id);
  if (accepted.length === 0) return { decision: "deny", scope: "once" };
  if (accepted.length === hunks.length) return { decision: "allow", scope: "once" };
  return { decision: "allow", scope: "once", hunks: accepted };
}
