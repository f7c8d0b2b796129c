import type { ToolEffect } from "../../tools/tool-facts.ts";

/** Effect of a rule on the calls it names. Deny wins over ask, ask over allow (PERM-02). */
export type Effect = "allow" | "ask" | "deny";

/**
 * Author of a rule: the person in this run, the person's own configuration, the profile, or the repository. A
 * repository's rule can only restrict (PROF-03).
 */
export type RuleScope = "session" | "user" | "profile" | "project";

/** One rule of the permission gate. Its text form is `Tool`, `Tool:glob` or `Tool:=literal`. */
export interface Rule {
  readonly effect: Effect;
  readonly scope: RuleScope;
  readonly tool: string;
  /** Effect of that tool: the rule restricts others of the same kind. Undefined for tools of servers and plugins. */
  readonly about: ToolEffect | undefined;
  readonly match: RulePattern;
  /** File or flag that it stands in. Absent for a rule of the session, and for one that was made of another. */
  readonly origin?: RuleOrigin;
}

/** Place that a standing rule was read from. */
export interface RuleOrigin {
  readonly source: "flag" | "user" | "plugin" | "preset" | "profile" | "promoted" | "project";
  /** The only directory that it holds in, with what is below. */
  readonly directory?: string;
}

/** Calls of the tool that a rule covers. */
export type RulePattern =
  /** Every call of the tool: `Tool`, or `Tool:*`. */
  | { readonly kind: "any" }
  /** Exactly this command, path or address. */
  | { readonly kind: "literal"; readonly text: string }
  /** For a command: a pattern of words; for a path: a glob, relative to the workspace or absolute. */
  | { readonly kind: "glob"; readonly text: string };

/** A rule as a configuration file holds it. */
export interface RuleSource {
  readonly effect: Effect;
  readonly text: string;
}
