import { stringAt } from "../../../base/json.ts";
import { readArguments } from "../../../tools/arguments.ts";
import type { ToolMiddleware } from "../../../tools/middleware.ts";
import { errorOutput } from "../../../tools/output.ts";
import { patternFitsTool } from "../../../tools/server-tool-names.ts";
import type { Tool } from "../../../tools/tool.ts";
import type { ToolEffect } from "../../../tools/tool-facts.ts";
import type { AgentDefinition, ToolGrant } from "./definition.ts";

/** Facts that decide whether a sub-agent has a tool. */
export type GrantedTool = Pick<Tool, "name" | "spelled" | "effect" | "inSubAgents" | "isWay">;

/** Returns a filter for the tools of its parent that a sub-agent of this kind gets (RUN-03). */
export function toolFilter(
  { tools, disallowedTools, skills }: AgentDefinition,
  mayStart: boolean,
): (tool: GrantedTool) => boolean {
  return ({ name, spelled = name, effect, inSubAgents, isWay }) => {
    const isNamed = (pattern: string) => patternFitsTool(pattern, { name, spelled }, fits);
    if (isWay === true) return true; // leads only to tools that pass this filter
    if (inSubAgents === "never" || (effect === "starts-agents" && !mayStart)) return false;
    if (disallowedTools.some(isNamed)) return false;
    if (inSubAgents === "for-its-skills" && skills.length > 0) return true;
    return tools === undefined || tools.some((grant) => isNamed(grant.name));
  };
}

/** Returns the programs that its commands may run; undefined for any. */
export function grantedPrograms({ tools = [] }: AgentDefinition): readonly string[] | undefined {
  return partsOf(tools, "runs-commands");
}

/** Returns the kinds of sub-agents that it may start; undefined for any. */
export function grantedKinds({ tools = [] }: AgentDefinition): readonly string[] | undefined {
  return partsOf(tools, "starts-agents");
}

function partsOf(tools: readonly ToolGrant[], effect: ToolEffect): readonly string[] | undefined {
  const grants = tools.filter(({ about }) => about === effect);
  if (grants.length === 0 || grants.some(({ only }) => only === undefined)) return undefined;
  return grants.flatMap(({ only = [] }) => only);
}

/**
 * Matches a name against a pattern in which `*` stands for any characters. Each part takes its first match, so that
 * no pattern backtracks.
 */
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
 * Refuses every command that would run another program than these, or whose programs cannot be determined. It runs
 * before the permission gate and allows nothing itself.
 */
export function restrictPrograms(programs: readonly string[]): ToolMiddleware {
  return async function onlyPrograms(call, context, next) {
    const { effect, subject } = call.tool;
    if (effect !== "runs-commands" || subject === undefined) return await next(call, context);
    // A command under another name of its argument counts as well.
    const command = stringAt(readArguments(call.tool, call.input).input, subject);
    if (command === undefined) return await next(call, context); // the tool refuses it
    const why = await programProblem(programs, command);
    if (why === undefined) return await next(call, context);
    return errorOutput(`This sub-agent may run ${programs.join(", ")} alone, and ${why}.`);
  };
}

async function programProblem(programs: readonly string[], command: string): Promise<string | undefined> {
  const [{ analyse }, { literalOf }] = await Promise.all([
    import("../../../shell/analyse.ts"),
    import("../../../shell/analysis.ts"),
  ]);
  const { commands, structure, unsure, overLimit } = analyse(command);
  if (overLimit !== undefined) return overLimit;
  const [doubt] = unsure;
  if (doubt !== undefined) return `what the command runs is not certain: ${doubt.why}`;
  // A loop, an expression or an assignment may change PATH, which decides what a name runs.
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
