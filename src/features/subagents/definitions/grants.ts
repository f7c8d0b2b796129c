import type { SpawnRequest } from "../../../session/spawn.ts";
import type { ToolMiddleware } from "../../../tools/middleware.ts";
import { fails } from "../../../tools/output.ts";
import { fitsTool } from "../../../tools/server-tool.ts";
import type { AgentDefinition } from "./definition.ts";

/** What belongs to the session's own agent: its plan, its list, and what hands work out of the session. */
const OF_THE_SESSION = new Set(["TodoWrite", "EnterPlanMode", "ExitPlanMode", "Delegate"]);
/** The way to tools that are not declared: it leads only to what is seen anyway. */
export const THE_WAY: ReadonlySet<string> = new Set(["ToolSearch", "CallTool"]);

/** Whether a sub-agent of this kind sees a tool that its parent sees (RUN-03). */
export function sees(
  { tools, disallowedTools, skills }: AgentDefinition,
  mayStart: boolean,
): SpawnRequest["sees"] {
  return (tool, spelled = tool) => {
    const isNamed = (pattern: string) => fitsTool(pattern, { name: tool, spelled }, fits);
    if (THE_WAY.has(tool)) return true;
    if (OF_THE_SESSION.has(tool) || (tool === "Agent" && !mayStart)) return false;
    if (disallowedTools.some(isNamed)) return false;
    if (tool === "Skill" && skills.length > 0) return true; // what it is told to load it can
    return tools === undefined || tools.some(({ name }) => isNamed(name));
  };
}

/** The programs that its commands may run; undefined for any. */
export function programsOf({ tools = [] }: AgentDefinition): readonly string[] | undefined {
  const grants = tools.filter(({ name }) => name === "Bash");
  if (grants.length === 0 || grants.some(({ only }) => only === undefined)) return undefined;
  return grants.flatMap(({ only = [] }) => only);
}

/** The kinds of sub-agents that it may start; undefined for any. */
export function kindsOf({ tools = [] }: AgentDefinition): readonly string[] | undefined {
  const grants = tools.filter(({ name }) => name === "Agent");
  if (grants.length === 0 || grants.some(({ only }) => only === undefined)) return undefined;
  return grants.flatMap(({ only = [] }) => only);
}

/** Whether a name is one of a pattern in which `*` is any characters: each part where it first can be, whatever a file says. */
function fits(pattern: string, name: string): boolean {
  const [start = "", ...rest] = pattern.split("*");
  const end = rest.pop();
  if (end === undefined) return name === pattern;
  if (!name.startsWith(start)) return false;
  let at = start.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return name.length - at >= end.length && name.endsWith(end);
}

/**
 * Refuses every command that would run another program than these, or of which that cannot be told. It stands before the
 * gate and allows nothing: what it lets through is judged as ever.
 */
export function onlyPrograms(programs: readonly string[]): ToolMiddleware {
  return async function onlyPrograms(call, context, next) {
    const { command } = (call.input ?? {}) as { readonly command?: unknown };
    if (call.name !== "Bash" || typeof command !== "string") return await next(call, context);
    const why = await otherThan(programs, command);
    if (why === undefined) return await next(call, context);
    return fails(`This sub-agent may run ${programs.join(", ")} alone, and ${why}.`);
  };
}

async function otherThan(programs: readonly string[], command: string): Promise<string | undefined> {
  const [{ analyse }, { literalOf }] = await Promise.all([
    import("../../../shell/analyse.ts"),
    import("../../../shell/analysis.ts"),
  ]);
  const { commands, structure, unsure, overLimit } = analyse(command);
  if (overLimit !== undefined) return overLimit;
  const [doubt] = unsure;
  if (doubt !== undefined) return `what the command runs is not certain: ${doubt.why}`;
  // A loop, an expression or an assignment may change PATH, which decides what a name means.
  if (structure.problem !== undefined)
    return `the command is more than names and words: ${structure.problem}`;
  for (const { name, wraps, text } of commands) {
    const program = literalOf(name);
    if (program === undefined) return `what "${text}" runs is only known when it runs`;
    if (!programs.includes(program)) return `the command runs ${JSON.stringify(program)}`;
    if (wraps === "opaque") return `what "${text}" starts cannot be known`;
  }
  return undefined;
}
