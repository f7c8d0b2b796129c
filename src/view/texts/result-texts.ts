import { count } from "../../base/text/text.ts";
import type { ResultOfCommand } from "../../protocol/commands/results.ts";
import { neutraliseLine } from "../terminal/terminal-text.ts";

type McpStatus = Omit<ResultOfCommand<"ManageMcp">, "text">;

/** Renders the result of a ManageMcp: a line for each server with its problem, then the names of the tools. */
export function mcpStatusText({ servers, toolNames = [], approved }: McpStatus): string {
  const [first] = servers;
  const rest = servers.length === 1 && toolNames.length > 0 ? (first?.tools ?? 0) - toolNames.length : 0;
  const lines = [
    ...servers.map(statusLine),
    ...toolNames.map(({ name, spelled }) =>
      spelled === undefined ? `  ${name}` : `  ${name} (${neutraliseLine(spelled)})`,
    ),
    ...(rest > 0 ? [`  and ${rest} more`] : []),
  ];
  return `${approved === false ? "Nothing was approved. " : ""}${lines.join("\n")}`;
}

function statusLine({ name, state, tools, problem }: McpStatus["servers"][number]): string {
  const known = tools === 0 ? "" : `, ${count(tools, "tool")}`;
  return `${name}: ${state}${known}${problem === undefined ? "" : `. ${neutraliseLine(problem)}`}`;
}

/** Renders the result of a ReloadSkills. The names of the skills are left out: an event reports them. */
export function reloadedSkillsText({
  skills,
  waiting,
  asks,
}: Omit<ResultOfCommand<"ReloadSkills">, "text">): string {
  const counted = `Reloaded: ${count(skills.length, "skill")}.`;
  if (waiting.length === 0) return counted;
  const then = asks === true ? "you are asked about each" : "acknowledge them with cinch ack";
  return `${counted} Inactive until acknowledged: ${waiting.map(neutraliseLine).join(", ")}; ${then}.`;
}
