import type { Rule } from "../../../session/guard/rule.ts";
import type { CallPlan, Tool } from "../../../tools/tool.ts";
import type { PrefixedCommand } from "./prefix-rules.ts";
import { prefixRule } from "./prefix-rules.ts";
import { printRule } from "./rule.ts";
import type { WorkspacePaths } from "./workspace-paths.ts";
import { grantedPaths, rulePath } from "./workspace-paths.ts";

type NamedTool = Pick<Tool, "name" | "effect">;

/**
 * Returns the rules that allow exactly this call, character for character: one for each path, or one (PERM-11).
 *
 * Glob characters that come from the call are literal in them.
 */
export function literalRules(
  plan: CallPlan,
  { name: tool, effect: about }: NamedTool,
  workspace: WorkspacePaths,
): readonly Rule[] {
  const rule = (match: Rule["match"]): Rule => ({ effect: "allow", scope: "session", tool, about, match });
  const { target } = plan;
  switch (target.kind) {
    case "none":
      return [rule({ kind: "any" })];
    case "command":
      return [rule({ kind: "literal", text: target.command })];
    case "url":
      return [rule({ kind: "literal", text: target.url })];
    case "paths":
      return [...new Set(target.paths.flatMap((use) => grantedPaths(use, workspace)))].map((path) =>
        rule({ kind: "literal", text: rulePath(path, workspace) }),
      );
  }
}

/** Returns what a user would write into the configuration to allow this call. */
export function allowingRules(plan: CallPlan, tool: NamedTool, workspace: WorkspacePaths): readonly string[] {
  return [...new Set(literalRules(plan, tool, workspace).map(printRule))];
}

interface AnsweredCall {
  readonly plan: CallPlan;
  readonly tool: NamedTool;
  readonly workspace: WorkspacePaths;
  /** Facts about the command, if the call is one. */
  readonly command: Omit<PrefixedCommand, "tool"> | undefined;
}

/**
 * Returns the rules that an answer makes for the rest of the run.
 *
 * Its `rule` is the shorter one that the person was shown and chose. It must be the command's own first words and ` *`;
 * any other makes no rule at all, so that only this call continues.
 */
export function rulesFromAnswer(
  answer: { readonly scope: "once" | "argv_glob" | "tool"; readonly rule?: string },
  { plan, tool, workspace, command }: AnsweredCall,
): readonly Rule[] {
  switch (answer.scope) {
    case "once":
      return [];
    case "tool":
      return [
        { effect: "allow", scope: "session", tool: tool.name, about: tool.effect, match: { kind: "any" } },
      ];
    case "argv_glob": {
      const literal = literalRules(plan, tool, workspace);
      if (answer.rule === undefined || literal.some((rule) => printRule(rule) === answer.rule))
        return literal;
      const prefix = command === undefined ? undefined : prefixRule(answer.rule, { ...command, tool });
      return prefix === undefined ? [] : [prefix];
    }
  }
}
