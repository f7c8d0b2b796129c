import type { Rule } from "../../../session/guard/rule.ts";
import { analyse } from "../../../shell/analyse.ts";
import type { Analysis, ShellCommand, ShellRedirection } from "../../../shell/analysis.ts";
import type { CallTarget } from "../../../tools/tool.ts";

export type CommandTarget = Extract<CallTarget, { readonly kind: "command" }>;

/** A rule about reading, and what a command has to do with it. */
export interface Met {
  readonly rule: Rule;
  /** `reads`: by name. `may read`: nobody knows before it runs. */
  readonly how: "reads" | "may read";
  /** It is read out of what git has stored, where no sandbox hides it. */
  readonly stored: boolean;
  /** What is read, as a path or as it is named. */
  readonly what: string;
}

/** What is known of a command line before anything of it runs: what `judge` decides by. */
export interface CommandFacts {
  readonly analysis: Analysis;
  /** Why it is not known to only read what the person opened to the agent; absent where it is. Empty: nobody looked. */
  readonly loud?: string;
  /** What of cinch's own, of git's insides, or of credentials one of its words leads to. */
  readonly guarded?: { readonly why: string; readonly personOnly: boolean };
  /** Those of its commands and redirections that are known to only read such things, where not all of it is. */
  readonly quiet: ReadonlySet<ShellCommand | ShellRedirection>;
  /** The rules about reading files that it may run against, the strictest first. */
  readonly met?: readonly Met[];
  /** Names that programs of the line have behind their links, by the name that they are called by. */
  readonly programs: ReadonlyMap<string, string>;
}

/** What is known of a line from its words alone: not that it only reads, for that takes a look at the disk. */
export function factsFromWords(target: CommandTarget): CommandFacts {
  return {
    analysis: analyse(target.command),
    loud: "",
    quiet: new Set(),
    programs: new Map(),
  };
}
