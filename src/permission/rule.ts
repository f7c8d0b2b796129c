import { isCommandPattern } from "./command.ts";

/** What a rule does with the calls it names. Deny wins over ask, ask over allow (PERM-02). */
export type Effect = "allow" | "ask" | "deny";

/**
 * Who made a rule: the person in this run, the person's own configuration, the profile, or the repository's. What a
 * repository says can only restrict (PROF-03).
 */
export type RuleScope = "session" | "user" | "profile" | "project";

/** One rule of the permission gate. Its text form is `Tool`, `Tool:glob` or `Tool:=literal`. */
export interface Rule {
  readonly effect: Effect;
  readonly scope: RuleScope;
  readonly tool: string;
  readonly match: Match;
}

export type Match =
  /** Every call of the tool: `Tool`, or `Tool:*`. */
  | { readonly kind: "any" }
  /** This very command, path or address, character for character. */
  | { readonly kind: "literal"; readonly text: string }
  /** For a command: a pattern of words; for a path: a glob, relative to the workspace or absolute. */
  | { readonly kind: "glob"; readonly text: string };

export const RULE_CHARACTERS_MAX = 8_192;

/** A rule as a configuration file holds it. */
export interface RuleSource {
  readonly effect: Effect;
  readonly text: string;
}

export type ParsedRule =
  | { readonly kind: "rule"; readonly rule: Rule }
  | { readonly kind: "problem"; readonly problem: string };

/** Reads one rule; a text that is none gives the problem, in words that go behind the key it stood at. */
export function parseRule(source: RuleSource, scope: RuleScope): ParsedRule {
  const { text, effect } = source;
  if (text.length > RULE_CHARACTERS_MAX)
    return problem(`a rule has at most ${RULE_CHARACTERS_MAX} characters`);
  const parts = /^([A-Za-z0-9_.-]+|mcp__[A-Za-z0-9_]+__\*)(?::([\s\S]*))?$/.exec(text);
  const tool = parts?.[1];
  if (tool === undefined) return problem(`"${text}" is no rule: write Tool, Tool:glob or Tool:=literal`);
  if (scope === "project" && effect === "allow") {
    return problem(`"${text}": a repository's rules can only ask or deny`);
  }
  const argument = parts?.[2];
  if (argument === undefined || argument === "*") return rule({ kind: "any" });
  if (argument === "" || argument === "=") return problem(`"${text}" names nothing after the colon`);
  if (argument.startsWith("=")) return rule({ kind: "literal", text: argument.slice(1) });
  if (tool === "Bash") return commandRule();
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

  function rule(match: Match): ParsedRule {
    return { kind: "rule", rule: { effect, scope, tool: tool ?? "", match } };
  }
}

/** Whether a name is that of a tool of an MCP server, or stands for all tools of one: `mcp__files__*`. */
export function isOfServer(tool: string): boolean {
  return /^mcp__[A-Za-z0-9_]+__./.test(tool);
}

/** Whether a rule is about a tool: by its name, or by that of its server. */
export function isAbout(rule: Pick<Rule, "tool">, tool: string): boolean {
  if (rule.tool === tool) return true;
  return isOfServer(rule.tool) && rule.tool.endsWith("__*") && tool.startsWith(rule.tool.slice(0, -1));
}

function problem(text: string): ParsedRule {
  return { kind: "problem", problem: text };
}

/** The text form of a rule: what people are shown, and what `parseRule` reads again. */
export function printRule(rule: Pick<Rule, "tool" | "match">): string {
  const { tool, match } = rule;
  if (match.kind === "any") return tool;
  if (match.kind === "glob") return `${tool}:${match.text}`;
  const again = parseRule({ effect: "deny", text: `${tool}:${match.text}` }, "user");
  const same =
    again.kind === "rule" && again.rule.match.kind === "literal" && again.rule.match.text === match.text;
  return same ? `${tool}:${match.text}` : `${tool}:=${match.text}`;
}
