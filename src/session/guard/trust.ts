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

/** A repository's file is looked at one by one, always; a folder of the user's own may be trusted as a whole (TOFU-02). */
export type TrustScope = "project" | "user";

/** One file as it was read. Whoever loads it takes these bytes, so what is loaded is what was hashed. */
export interface TrustFile {
  /** Below the item's folder, with "/"; "" where the item is one file. */
  readonly path: string;
  readonly bytes: Uint8Array;
  /** In small hexadecimal digits. */
  readonly sha256: string;
  readonly executable: boolean;
}

/** What is acknowledged at once: one file, or a folder (a skill) with every file in it. */
export interface TrustItem {
  readonly kind: TrustKind;
  /** Absolute, every link resolved. */
  readonly path: string;
  readonly scope: TrustScope;
  readonly files: readonly TrustFile[];
}
