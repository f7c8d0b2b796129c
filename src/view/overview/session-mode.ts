import { unreachable } from "../../base/assert.ts";
import type { PayloadOf } from "../../protocol/events/events.ts";
import type { ResultOf } from "../../protocol/queries/queries.ts";

type Level = PayloadOf<"LevelChanged">["level"];

/** Name of a state of the engine for people: a level, or plan mode. */
export type SessionMode = "ask" | "accept edits" | "full access" | "plan";

/** The modes that a person goes through, in order. */
export const MODES = ["ask", "accept edits", "plan"] as const satisfies readonly SessionMode[];
export type ChosenMode = (typeof MODES)[number];

/** The level that stands behind a mode. Plan mode leaves the level as it is. */
export const LEVEL_OF_MODE: Readonly<Record<Exclude<ChosenMode, "plan">, Level>> = {
  ask: "ReadOnly",
  "accept edits": "WorkspaceWrite",
};

export interface ModeFacts {
  readonly planMode: boolean;
  /** Absent: not known yet. */
  readonly level?: Level;
  /** False if no rule allows edits: they are asked about at every level. Absent: not known. */
  readonly allowsEdits?: boolean;
}

/** Returns the mode of a session; undefined while its level is unknown. */
export function sessionModeOf({ planMode, level, allowsEdits }: ModeFacts): SessionMode | undefined {
  if (planMode) return "plan";
  if (level === undefined) return undefined;
  if (level === "ReadOnly" || allowsEdits === false) return "ask";
  return level === "WorkspaceWrite" ? "accept edits" : "full access";
}

/** Returns the mode after another one. */
export function modeAfter(mode: SessionMode | undefined): ChosenMode {
  const at = (MODES as readonly (SessionMode | undefined)[]).indexOf(mode);
  return MODES[(at + 1) % MODES.length] ?? "ask";
}

/** A rule that allows edits of every file. */
const ALLOWS_EDITS = /^Edit(?::\*{1,2})?$/;

/** Returns whether a rule allows edits without a question; undefined if the list was cut before one was found. */
export function allowsEdits({ rules, more }: ResultOf<"ListRules">): boolean | undefined {
  if (rules.some(({ effect, rule }) => effect === "allow" && ALLOWS_EDITS.test(rule))) return true;
  return more ? undefined : false;
}

/** Returns whether a person has allowed calls for the session: these run in each mode but plan. */
export function hasAllowed({ rules }: ResultOf<"ListRules">): boolean {
  return rules.some(
    ({ effect, source }) => effect === "allow" && (source === "session" || source === "flag"),
  );
}

/**
 * Returns what a mode does, in a sentence for the person who chose it.
 * @param isAllowed true if `hasAllowed`.
 */
export function modeText(
  mode: ChosenMode,
  {
    allowsEdits: allows,
    isAllowed = false,
  }: Pick<ModeFacts, "allowsEdits"> & { readonly isAllowed?: boolean },
): string {
  switch (mode) {
    case "ask":
      return isAllowed
        ? "ask (level ReadOnly): changes and other commands are asked about, but what you allowed for this session still runs."
        : "ask (level ReadOnly): reading goes on; every change and every other command is asked about.";
    case "accept edits":
      return allows === false
        ? "accept edits (level WorkspaceWrite): no rule of this profile allows Edit, so each change is still asked about."
        : "accept edits (level WorkspaceWrite): files of the workspace change unasked; commands run in the sandbox, all else asks.";
    case "plan":
      return "plan: the model reads and plans, and changes nothing until you approve its plan.";
    default:
      return unreachable(mode);
  }
}
