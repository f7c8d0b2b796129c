import type { Level } from "../../tools/tool-facts.ts";
import type { Rule, RuleSource } from "./rule.ts";

/** What the gate judges by, apart from the rules of the session. */
export interface Policy {
  /** Calls above this level are asked for, whatever the profile's own rules say. */
  readonly ceiling: Level;
  /** The ceiling was set for this run (`--level`): the person's standing rules do not reach above it either. */
  readonly firm: boolean;
  /** Calls above the ceiling are denied, not asked for. */
  readonly strict: boolean;
  /** Whether known reads go unasked; `--strict-permissions` turns it off. */
  readonly quiet: boolean;
  /** Whether a command that runs in a working sandbox goes unasked. */
  readonly bashInSandbox: "allow" | "ask";
  readonly rules: readonly Rule[];
  /** Absolute and resolved: where cinch keeps its configuration, credentials and logs. */
  readonly ownDirectories: readonly string[];
  /** Absolute and resolved: files elsewhere that steer this run or a later one, such as a lock file that was named. */
  readonly steering?: readonly string[];
}

/** The rules and tools that plugins bring. They count like the user's own. */
export interface PluginRules {
  readonly rules: readonly RuleSource[];
  readonly tools: readonly string[];
  /** More may come once a person has looked at them: a rule about a tool that is not there is none that is misspelt. */
  readonly isPending: boolean;
}
