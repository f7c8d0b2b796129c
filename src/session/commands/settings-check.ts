import type { World } from "../../base/world.ts";
import type { ToolTable } from "../../tools/tool-facts.ts";
import type { Mistake } from "../config-section.ts";
import type { EngineOptions } from "../options.ts";
import type { Config, Profile } from "../settings/settings.ts";

/** Settings and rules of one file. */
export type SettingsOfFile = Pick<Profile, "sections" | "permissions">;

/** The settings of one file, for `cinch profile check`. */
export interface SettingsToCheck extends Pick<EngineOptions, "world" | "paths"> {
  readonly said: SettingsOfFile;
  /** The user's configuration, if `said` is of a profile. */
  readonly config?: Pick<Config, "sections" | "permissions">;
  /** Every tool that cinch itself has. */
  readonly tools: ToolTable;
}

/** Folders whose files are checked. */
export interface FilesToCheck extends Pick<EngineOptions, "paths"> {
  readonly world: Pick<World, "files">;
  /** Root of the project, resolved. */
  readonly root: string;
  readonly tools: ToolTable;
}

/** A file beside the settings that a feature would load, acknowledged or not. */
export interface CheckedFile {
  readonly path: string;
  readonly scope: "user" | "project";
  readonly mistakes: readonly Mistake[];
}
