import { HarnessError } from "../../base/errors.ts";
import { nearestWords } from "../../base/text/near.ts";
import { parseRule, printRule } from "../../guard/permissions/rules/rule.ts";
import { visibleLine } from "../../safety/hidden.ts";
import type { ConfiguredRule } from "../../session/settings/permission-settings.ts";
import type { ToolNames } from "../../tools/server-tool-names.ts";
import { mapToolName, mayNameTool, splitServerToolName } from "../../tools/server-tool-names.ts";
import { toolTable } from "../../tools/tool-facts.ts";

/** A server with its currently known tools. */
export interface ServerTools {
  readonly name: string;
  readonly tools: readonly ToolNames[];
}

/** No tools: only names of servers' tools are read here. */
const WITHOUT_TOOLS = toolTable([]);

/** A rule that matches no tool of the server it names, and so has no effect. */
export interface IdleRule {
  readonly rule: ConfiguredRule;
  /** A half sentence: which part matches nothing, and what was probably meant. */
  readonly problem: string;
}

/**
 * Returns the deny and ask rules that name a tool which their server does not have (PERM-02). Their author believes
 * that they restrict something. Returns none while the server's tools are unknown.
 */
export function idleRules(rules: readonly ConfiguredRule[], server: ServerTools): readonly IdleRule[] {
  if (server.tools.length === 0) return [];
  return rules.flatMap((configured) => {
    const parsed = parseRule(configured, "user", WITHOUT_TOOLS);
    if (parsed.kind === "problem" || configured.effect === "allow") return [];
    const { rule } = parsed;
    const parts = splitServerToolName(rule.tool);
    if (parts === undefined || parts.tool === "*" || !isSameServer(parts.server, server.name)) return [];
    const isMeant = (tool: ToolNames) => mayNameTool(rule.tool, tool) || mayNameTool(printRule(rule), tool);
    return server.tools.some(isMeant) ? [] : [{ rule: configured, problem: problemOf(rule.tool, server) }];
  });
}

/** Returns true if two names mean the same server, as they appear in tool names. */
export function isSameServer(one: string, other: string): boolean {
  return mapToolName(one).toLowerCase() === mapToolName(other).toLowerCase();
}

/** Returns the error that reports a rule without effect. */
export function idleRuleError({ rule: { effect, text, where }, problem }: IdleRule): HarnessError {
  const rule = `${effect} "${visibleLine(text)}"`;
  return new HarnessError("McpRuleIdle", { rule, path: where.path, line: String(where.line), problem });
}

function problemOf(tool: string, { name, tools }: ServerTools): string {
  const [meant] = nearestWords(
    tool,
    tools.map((each) => each.name),
  );
  const hint = meant === undefined ? `/mcp:${name} lists them.` : `did you mean ${meant}?`;
  return `the MCP server '${name}' has no tool ${visibleLine(tool)}; ${hint}`;
}
