import { count } from "../../base/text/text.ts";
import type { ResultOfCommand } from "../../protocol/commands/results.ts";
import { neutraliseLine } from "../terminal/terminal-text.ts";

/** Renders the result of a ReloadSkills. The names of the skills are left out: an event reports them. */
export function reloadedSkillsText({
  skills,
  waiting,
  asks,
}: Omit<ResultOfCommand<"ReloadSkills">, "text">): string {
  const counted = `Looked at anew: ${count(skills.length, "skill")}.`;
  if (waiting.length === 0) return counted;
  const then = asks === true ? "you are asked about each" : "acknowledge them with cinch ack";
  return `${counted} Not acknowledged as they are now, and left out: ${waiting.map(neutraliseLine).join(", ")}; ${then}.`;
}
