import type { Level } from "../../tools/tool-facts.ts";
import { LEVELS } from "../../tools/tool-facts.ts";
import type { Table, Where } from "../table.ts";

/** What a profile, a preset file or config.toml says about permissions. Absent: nothing is said. */
export interface PermissionSettings {
  readonly level?: Level;
  /** Calls above the level are denied, not asked for. */
  readonly strict?: boolean;
  /** False: known reads are asked for too. */
  readonly quiet?: boolean;
  /** Whether a command that runs in a working sandbox goes unasked, or is asked for all the same. */
  readonly bashInSandbox?: BashInSandbox;
  readonly rules: readonly ConfiguredRule[];
}

export const BASH_IN_SANDBOX = ["allow", "ask"] as const;
export type BashInSandbox = (typeof BASH_IN_SANDBOX)[number];

/** A rule as it was written, unparsed, with the place to name when it is none. */
export interface ConfiguredRule {
  readonly effect: "allow" | "ask" | "deny";
  readonly text: string;
  readonly where: Where;
  /** A rule that the person promoted from a session: see `Promotion`. It counts like one that they wrote. */
  readonly promoted?: { readonly directory?: string };
}

const EFFECTS = ["deny", "ask", "allow"] as const;

export function permissionsFrom(table: Table): PermissionSettings {
  const level = table.oneOf("level", LEVELS);
  const strict = table.boolean("strict");
  const quiet = table.boolean("quiet");
  const bashInSandbox = table.oneOf("bash_in_sandbox", BASH_IN_SANDBOX);
  return {
    ...(level === undefined ? {} : { level }),
    ...(strict === undefined ? {} : { strict }),
    ...(quiet === undefined ? {} : { quiet }),
    ...(bashInSandbox === undefined ? {} : { bashInSandbox }),
    rules: EFFECTS.flatMap((effect) =>
      (table.strings(effect) ?? []).map((text) => ({ effect, text, where: table.where(effect) })),
    ),
  };
}
