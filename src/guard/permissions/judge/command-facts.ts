import type { Rule } from "../../../session/guard/rule.ts";
import { analyse } from "../../../shell/analyse.ts";
import type { Analysis, ShellCommand, ShellRedirection } from "../../../shell/analysis.ts";
import type { CallTarget } from "../../../tools/tool.ts";

export type CommandTarget = Extract<CallTarget, { readonly kind: "command" }>;

/** A rule about reading that a command may violate. */
export interface RuleMatch {
  readonly rule: Rule;
  /** `reads`: certain, by name. `may read`: unknown before it runs. */
  readonly how: "reads" | "may read";
  /** True if it is read from what git has stored, which no sandbox hides. */
  readonly stored: boolean;
  /** The path that is read, or its name. */
  readonly what: string;
}

/** Facts about a command line before anything of it runs; `judge` decides by them. */
export interface CommandFacts {
  readonly analysis: Analysis;
  /** Reason why it is not known to only read what the agent may read; absent if it is. "": nothing was checked. */
  readonly approvalReason?: string;
  /** Files of cinch or git, or credentials, to which one of its words leads. */
  readonly guarded?: { readonly why: string; readonly personOnly: boolean };
  /** Its commands and redirections that are known to only read such files, if not all of the line is. */
  readonly readOnlyParts: ReadonlySet<ShellCommand | ShellRedirection>;
  /** Rules about reading files that it may violate, the strictest first. */
  readonly ruleMatches?: readonly RuleMatch[];
  /** True names of linked programs in the line, by the name with which they are called. */
  readonly programs: ReadonlyMap<string, string>;
}

/** Returns the facts that follow from the words alone. They never include that it only reads: that needs the disk. */
export function factsFromWords(target: CommandTarget): CommandFacts {
  return {
    analysis: analyse(target.command),
    approvalReason: "",
    readOnlyParts: new Set(),
    programs: new Map(),
  };
}
