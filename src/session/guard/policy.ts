import type { Level } from "../../tools/tool-facts.ts";
import type { Rule, RuleSource } from "./rule.ts";

/** Policy that the gate judges by, apart from the rules of the session. */
export interface Policy {
  /** Calls above this level are asked for, whatever the profile's own rules say. */
  readonly ceiling: Level;
  /** The ceiling was set for this run (`--level`): the person's standing rules do not reach above it either. */
  readonly firm: boolean;
  /** Calls above the ceiling are denied, not asked for. */
  readonly strict: boolean;
  /** True if known reads need no approval; `--strict-permissions` turns it off. */
  readonly quiet: boolean;
  /** Decision about a command in a working sandbox: no question, or a question. */
  readonly bashInSandbox: "allow" | "ask";
  readonly rules: readonly Rule[];
  /** Directories of cinch's configuration, credentials and logs, absolute and resolved. */
  readonly ownDirectories: readonly string[];
  /** Other files that steer this run or a later one, such as a named lock file; absolute and resolved. */
  readonly steering?: readonly string[];
}

/** The rules and tools that plugins bring. They count like the user's own. */
export interface PluginRules {
  readonly rules: readonly RuleSource[];
  readonly tools: readonly string[];
  /** True if more may come once a person has reviewed them: a rule about an unknown tool is then no misspelling. */
  readonly isPending: boolean;
}
