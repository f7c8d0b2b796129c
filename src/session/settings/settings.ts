import type { ModelRoute } from "../../providers/choosing/route.ts";
import type { Price } from "../../providers/provider.ts";
import type { VendorSettings } from "../../providers/vendor-settings.ts";
import type { CustomProvider } from "../../providers/vendors.ts";
import type { PermissionSettings } from "./permission-settings.ts";

/** Values of the sections that a file has, by the name of the section. `settingsOf` gives one its type. */
export type SectionValues = ReadonlyMap<string, unknown>;

/** The user's own configuration: `$XDG_CONFIG_HOME/cinch/config.toml` (PROF-03). */
export interface Config extends VendorSettings {
  /** Value of every section that the file has. Merge one with the profile by `settingsOf`. */
  readonly sections: SectionValues;
  readonly defaultModel?: string;
  readonly defaultProfile?: string;
  readonly providers: readonly CustomProvider[];
  /** Models made of several. */
  readonly routes: readonly ModelRoute[];
  /** By `provider:model`. */
  readonly prices: ReadonlyMap<string, Price>;
  readonly permissions: PermissionSettings;
  /** Absolute paths. */
  readonly plugins: readonly string[];
}

/** The settings of a session in one file ([A] § Profiles, PROF-01). Another profile needs no code. */
export interface Profile {
  readonly name: string;
  /** File that it was read from; `embedded:NAME` for those in the program. */
  readonly path: string;
  /**
   * Files on the disk that it was read from: its own and that of its preset. A program that can write one steers cinch.
   */
  readonly files: readonly string[];
  /** Value of every section that the profile has, the permissions of its preset included. Merge one by `settingsOf`. */
  readonly sections: SectionValues;
  readonly defaultModel?: string;
  readonly promptHeader: string;
  readonly toolPacks: readonly string[];
  readonly plugins: readonly string[];
  readonly permissions: PermissionSettings;
  readonly toolExecution: "sequential" | "parallel-read-only";
  /** Sentences for the person: unknown keys. */
  readonly warnings: readonly string[];
}

/** Settings of a repository. They can forbid and ask for more, and allow nothing (PROF-03). */
export interface ProjectSettings {
  /** Values of the keys that a repository may tighten. */
  readonly sections: SectionValues;
  readonly permissions: PermissionSettings;
}
