import type { Level } from "../../tools/tool-facts.ts";
import type { FilePosition } from "../config-section.ts";

/** Permissions of a profile, a preset file, `config.toml` or a repository. An omitted field is not set there. */
export interface PermissionSettings {
  readonly level?: Level;
  /** Denies calls above the level instead of asking. */
  readonly strict?: boolean;
  /** Runs known reads without a question. */
  readonly quiet?: boolean;
  /** Runs commands in a working sandbox without a question, or asks for each. */
  readonly bashInSandbox?: "allow" | "ask";
  readonly rules: readonly ConfiguredRule[];
}

/** A rule as it was written, unparsed, with its place for messages. */
export interface ConfiguredRule {
  readonly effect: "allow" | "ask" | "deny";
  readonly text: string;
  readonly where: FilePosition;
  /** Set for a rule that a person promoted in a session. It counts like one that they wrote. */
  readonly promoted?: {
    /** The rule holds in sessions that work in this directory or below; everywhere when omitted. */
    readonly directory?: string;
  };
}
