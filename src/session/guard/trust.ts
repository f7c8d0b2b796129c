import type { HarnessPaths } from "../../base/files/harness-paths.ts";
import type { World } from "../../base/world.ts";
import type { DeclaredSection, SettingsOf } from "../config-section.ts";
import type { Config, Profile, ProjectSettings } from "../settings/settings.ts";

/**
 * The kinds of files that steer a model or this program, and so have no effect before a person has seen them (TOFU-01).
 */
export const TRUST_KINDS = [
  "context-file",
  "skill",
  "alias-file",
  "hook",
  "config",
  "profile",
  "permission-preset",
  "mcp",
  "agent",
  "prompt-template",
  "plugin",
] as const;
export type TrustKind = (typeof TRUST_KINDS)[number];

/**
 * A repository's files are always reviewed one by one; a folder of the user's own may be trusted as a whole (TOFU-02).
 */
export type TrustScope = "project" | "user";

/**
 * Files of one kind in one folder that a feature or the settings load, as plain data. A person acknowledges each first.
 */
export interface TrustLayout {
  readonly kind: TrustKind;
  /**
   * `project`: a repository. `user`: the user's configuration folder. `shared`: `~/.agents`, which other
   * programs share.
   */
  readonly in: "project" | "user" | "shared";
  /** Folder below that place, with "/"; "." for the place itself. */
  readonly folder: string;
  /** Pattern of the names of files, or `folders` if each folder is one item. */
  readonly names: RegExp | "folders";
  /** Position in the order in which a person is asked, the smallest first. Unique within one place. */
  readonly order: number;
  /**
   * Returns a sentence for the person if the files do not count in such a session; undefined if they do. Files with
   * this limit come before those of other features.
   */
  readonly limit?: (at: TrustLimitContext) => string | undefined;
}

/** Settings that decide if files of a project count. */
export interface TrustLimitContext {
  /** Returns the settings of a section by flags, `config.toml` and the profile. Those of the project do not count. */
  readonly settingsOf: <Section extends DeclaredSection>(section: Section) => SettingsOf<Section>;
}

/** One file as it was read. Loading uses these bytes, so what is loaded is what was hashed. */
export interface TrustFile {
  /** Below the item's folder, with "/"; "" where the item is one file. */
  readonly path: string;
  readonly bytes: Uint8Array;
  /** In small hexadecimal digits. */
  readonly sha256: string;
  readonly executable: boolean;
}

/** Unit of acknowledgement: one file, or a folder (a skill) with every file in it. */
export interface TrustItem {
  readonly kind: TrustKind;
  /** Absolute, every link resolved. */
  readonly path: string;
  readonly scope: TrustScope;
  readonly files: readonly TrustFile[];
}

/**
 * Weight of a change, the least first in `metadata-only`, `prose`, `code-adjacent`, `executable` ([A] hard rule
 * 13, TOFU-03).
 */
export type ChangeClass = "metadata-only" | "prose" | "code-adjacent" | "executable";

/** One file of an item, before and after a change. */
export interface FileChange {
  /** Path as in `TrustFile`. */
  readonly path: string;
  /** Absent: the file is new. */
  readonly before?: { readonly bytes?: Uint8Array; readonly executable: boolean };
  /** Absent: the file is gone. */
  readonly after?: { readonly bytes: Uint8Array; readonly executable: boolean };
}

/** TrustVerdict about an item, with what a person must be shown. */
export type TrustVerdict =
  | { readonly kind: "trusted" }
  | { readonly kind: "new" }
  | { readonly kind: "changed"; readonly class: ChangeClass; readonly changes: readonly FileChange[] };

/** Item that a person has to acknowledge first. */
export interface PendingItem {
  readonly item: TrustItem;
  readonly verdict: Exclude<TrustVerdict, { kind: "trusted" }>;
  /** Relative to the root of the project; absolute if it lies elsewhere. */
  readonly path: string;
}

/** Record of what the user has acknowledged. */
export interface TrustRecord {
  /**
   * Records that a person has acknowledged these items.
   * @throws HarnessError TrustLedgerUnwritable: then it does not count.
   */
  approve(items: readonly TrustItem[]): Promise<void>;
  /** Trusts a folder of the user's own as it is now, with every file of these items (TOFU-02). */
  approveDirectory(path: string, items: readonly TrustItem[]): Promise<void>;
}

/** Items that were judged. Those that are not pending count. */
export interface JudgedItems {
  readonly pending: readonly PendingItem[];
  /** Sentences for the person: changes that were accepted without a question. */
  readonly notices: readonly string[];
  readonly record: TrustRecord;
}

/**
 * Judges items as a session with the same settings does.
 * @param root of the project, resolved.
 * @throws HarnessError TrustLedgerInvalid, PathMissing: then nothing is known to be trusted.
 */
export type JudgeFiles = (items: readonly TrustItem[], root: string) => Promise<JudgedItems>;

/** Place that a feature reads files of, before anything is judged. */
export interface ProjectContext {
  readonly world: Pick<World, "files">;
  /** Working directory, resolved. */
  readonly workingDir: string;
  readonly profile: Profile;
  readonly config: Config;
  readonly paths: HarnessPaths;
  /** True if nothing of the project is to be loaded. */
  readonly withoutProject: boolean;
  /** True if only files of the project are reviewed. */
  readonly onlyProject: boolean;
}

/** Settings of a session, and where its files are. */
export interface SettingsContext {
  readonly world: Pick<World, "files">;
  readonly config: Config;
  readonly profile: Profile;
  readonly paths: HarnessPaths;
  /** Working directory, resolved. */
  readonly root: string;
  /** The user's home; undefined if the environment names none. */
  readonly home: string | undefined;
}

/** Files that a feature would load, and sentences for the person about what it leaves out. */
export interface FoundItems {
  readonly items: readonly TrustItem[];
  readonly problems: readonly string[];
}

/** Items of which nothing would be loaded, and the reasons as sentences for the person. */
export interface UnusableItems {
  readonly items: ReadonlySet<TrustItem>;
  readonly notices: readonly string[];
}

/** Reads the files that a feature would load of a project. Nothing is parsed before a person has acknowledged it. */
export type ReadItems = (at: ProjectContext) => Promise<FoundItems>;

/** Files of a project that a session may load, each acknowledged by a person. */
export interface AcknowledgedFiles {
  /** Settings of the project, parsed. They only restrict. */
  readonly settings: readonly ProjectSettings[];
  /** Acknowledged items, the user's own before the project's. */
  readonly items: readonly TrustItem[];
}

/** Files of a project and of the user, found and judged. No session has asked about them. */
export interface JudgedProject {
  /** Root of the repository, or the working directory. Resolved. */
  readonly root: string;
  /** True if the root is that of a git repository. */
  readonly isRepository: boolean;
  /** Items that were found, acknowledged or not. */
  readonly found: { readonly items: readonly TrustItem[] };
  /** True if a person still has to acknowledge a file. */
  readonly asks: boolean;
  /** True if a person has to acknowledge this item first. */
  isPending(item: TrustItem): boolean;
  /** True if there are files of the kind that count, or will once they are acknowledged. */
  has(kind: TrustKind): boolean;
}

/** Trust of one session in its project and in the user's shared files (TOFU-01). */
export interface SessionTrust extends JudgedProject {
  /** Files as they were judged before the session was opened. */
  readonly project: JudgedProject;
  /**
   * Resolves once every question is settled.
   * @throws signal.reason; HarnessError ConfigInvalid for an acknowledged file that cannot be read or would
   * widen anything.
   */
  loaded(signal: AbortSignal): Promise<AcknowledgedFiles>;
}
