import type { AskedPart } from "../../../protocol/events/asked-call.ts";
import { visibleLine } from "../../../safety/hidden.ts";
import type { Policy } from "../../../session/guard/policy.ts";
import type { CallPlan } from "../../../tools/tool.ts";
import type { InspectedPart } from "../inspection/inspect-command.ts";
import type { WorkspacePaths } from "../rules/workspace-paths.ts";
import type { CommandView, JudgedTool } from "./judge.ts";
import { judge } from "./judge.ts";

/** Characters of all parts of a line that are shown; the line itself is shown whole. */
export const PARTS_CHARACTERS_MAX = 20_000;

/** A call of a command, as its parts are judged. */
export interface JudgedLine {
  readonly plan: CallPlan;
  readonly tool: JudgedTool;
  readonly policy: Policy;
  readonly workspace: WorkspacePaths;
  readonly view: CommandView;
}

/**
 * Judges each part of a line as if it were the whole line (PERM-14). The line is denied if one of its parts is.
 *
 * An allow rule for one exact line allows no line that has it as a part, so it counts for no part. Returns no parts
 * beyond `PARTS_CHARACTERS_MAX`.
 */
export function judgeParts(
  parts: readonly InspectedPart[],
  { plan, tool, policy, workspace, view }: JudgedLine,
): readonly AskedPart[] {
  const { target } = plan;
  const characters = parts.reduce((sum, { text }) => sum + text.length, 0);
  if (target.kind !== "command" || characters > PARTS_CHARACTERS_MAX) return [];
  const rules = policy.rules.filter(({ effect, match }) => effect !== "allow" || match.kind !== "literal");
  return parts.map(({ text, facts }) => {
    const alone = { ...plan, summary: text, target: { ...target, command: text } };
    const { kind, why } = judge(alone, tool, { ...policy, rules }, workspace, { ...view, facts });
    return { text: visibleLine(text), verdict: kind, why: visibleLine(why) };
  });
}
