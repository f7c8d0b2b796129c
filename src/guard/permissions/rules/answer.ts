import type { Rule } from "../../../session/guard/rule.ts";
import type { Analysis } from "../../../shell/analysis.ts";
import { literalOf } from "../../../shell/analysis.ts";
import type { CallPlan, Tool } from "../../../tools/tool.ts";
import { isCommandPattern } from "./command-patterns.ts";
import { parseRule, printRule } from "./rule.ts";
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
  readonly analysis: Analysis | undefined;
}

/**
 * Returns the rules that an answer makes for the rest of the run.
 *
 * `picked` is the shorter rule that the person was shown and chose. It must be the command's own first words and ` *`;
 * any other makes no rule at all, so that only this call continues. `analysis`: of the command, if the call is one.
 */
export function rulesFromAnswer(
  answer: { readonly scope: "once" | "argv_glob" | "tool"; readonly rule?: string },
  { plan, tool, workspace, analysis }: AnsweredCall,
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
      const prefix = analysis === undefined ? undefined : prefixRule(answer.rule, tool, analysis);
      return prefix === undefined ? [] : [prefix];
    }
  }
}

function prefixRule(
  text: string,
  { name: tool, effect }: NamedTool,
  { commands, unsure, overLimit }: Analysis,
): Rule | undefined {
  const parsed = parseRule({ effect: "allow", text }, "session", {
    of: (name) => (name === tool && effect !== undefined ? { effect } : undefined),
  });
  if (parsed.kind === "problem") return undefined;
  const { rule } = parsed;
  const [only] = commands;
  // Only for a line of one command: with several, it would not be clear whose words are meant.
  if (rule.tool !== tool || rule.match.kind !== "glob" || only === undefined || commands.length > 1)
    return undefined;
  if (unsure.length > 0 || overLimit !== undefined) return undefined;
  const words = [only.name, ...only.args].map(literalOf);
  const picked = rule.match.text.split(" ");
  const heads = picked.slice(0, -1);
  const isPrefix =
    isCommandPattern(rule.match.text) &&
    picked.at(-1) === "*" &&
    heads.length <= words.length &&
    heads.every((head, at) => head === words[at]);
  return isPrefix ? rule : undefined;
}
