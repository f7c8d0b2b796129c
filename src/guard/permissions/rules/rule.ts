import type { Rule, RulePattern, RuleScope, RuleSource } from "../../../session/guard/rule.ts";
import type { ToolFacts } from "../../../tools/tool-facts.ts";
import { isCommandPattern } from "./command-patterns.ts";

export const RULE_CHARACTERS_MAX = 8_192;

/** A tool of a server may be written as the server spells it, with nearly any characters. */
const RULE = /^([A-Za-z0-9_.-]+|mcp__[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*__(?:\*|[^\s:*,"'()]+))(?::([\s\S]*))?$/;

export type ParsedRule =
  | { readonly kind: "rule"; readonly rule: Rule }
  | { readonly kind: "problem"; readonly problem: string };

/** Effects of tools by name. */
export interface EffectsByName {
  of(name: string): Pick<ToolFacts, "effect"> | undefined;
}

/** Parses one rule; for an invalid one, returns the problem, worded to follow the rule's key. */
export function parseRule(source: RuleSource, scope: RuleScope, tools: EffectsByName): ParsedRule {
  const { text, effect } = source;
  if (text.length > RULE_CHARACTERS_MAX)
    return problem(`a rule has at most ${RULE_CHARACTERS_MAX} characters`);
  const parts = RULE.exec(text);
  const tool = parts?.[1];
  if (tool === undefined) return problem(`"${text}" is not a rule: write ${formsOf(text)}`);
  if (scope === "project" && effect === "allow") {
    return problem(`"${text}": a repository's rules can only ask or deny`);
  }
  const about = tools.of(tool)?.effect;
  const argument = parts?.[2];
  if (argument === undefined || argument === "*") return rule({ kind: "any" });
  if (argument === "" || argument === "=") return problem(`"${text}" names nothing after the colon`);
  if (argument.startsWith("=")) return rule({ kind: "literal", text: argument.slice(1) });
  if (about === "runs-commands") return commandRule();
  return pathRule();

  function commandRule(): ParsedRule {
    if (!argument?.includes("*")) return rule({ kind: "literal", text: argument ?? "" });
    if (isCommandPattern(argument)) return rule({ kind: "glob", text: argument });
    return problem(
      `"${text}": a pattern is made of plain words and *; for anything else write ${tool}:=literal`,
    );
  }

  function pathRule(): ParsedRule {
    const glob = (argument ?? "").replace(/^(?:\.\/)+/, "").replace(/\/+$/, "/**");
    if (glob.startsWith("!"))
      return problem(`"${text}": a glob cannot be negated; write a rule of the other effect`);
    if (glob.startsWith("~")) return problem(`"${text}": write the whole path instead of ~`);
    if (glob.split("/").includes("..")) return problem(`"${text}": a path in a rule has no ".."`);
    return rule({ kind: /[*?[\]{}\\]/.test(glob) ? "glob" : "literal", text: glob });
  }

  function rule(match: RulePattern): ParsedRule {
    return { kind: "rule", rule: { effect, scope, tool: tool ?? "", about, match } };
  }
}

function formsOf(text: string): string {
  if (!text.startsWith("mcp__")) return "Tool, Tool:glob or Tool:=literal";
  return "mcp__SERVER__TOOL for one tool of a server, or mcp__SERVER__* for all of them";
}

function problem(text: string): ParsedRule {
  return { kind: "problem", problem: text };
}

/** Renders the text form of a rule: shown to people, and readable by `parseRule`. */
export function printRule({ tool, about, match }: Pick<Rule, "tool" | "about" | "match">): string {
  if (match.kind === "any") return tool;
  if (match.kind === "glob") return `${tool}:${match.text}`;
  const itself = { of: () => (about === undefined ? undefined : { effect: about }) };
  const again = parseRule({ effect: "deny", text: `${tool}:${match.text}` }, "user", itself);
  const same =
    again.kind === "rule" && again.rule.match.kind === "literal" && again.rule.match.text === match.text;
  return same ? `${tool}:${match.text}` : `${tool}:=${match.text}`;
}
