import { pathBytes } from "../../../base/files/path-text.ts";
import type { FileEntry } from "./changed-paths.ts";

/** Bytes at the start of a file among which a zero marks it as binary, as for git. */
const LOOKED_BYTES = 8_000;

const [FILE, LINK] = ["100", "120000"];
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** One side of a changed file. */
export interface FileSide {
  /** Type and permissions: 100600. */
  readonly mode: string;
  /** Type and permissions that git knows: 100644, 100755 or 120000. */
  readonly gitMode: string;
  readonly bytes: number;
  readonly content: SideContent;
}

export type SideContent =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "binary"; readonly content: Uint8Array }
  | { readonly kind: "missing"; readonly why: string };

/** Makes a side of an entry and the content of its file. A link has its target for a text. */
export function fileSide(entry: FileEntry, content: Uint8Array | { readonly missing: string }): FileSide {
  const mode =
    entry.kind === "symlink" ? LINK : FILE + entry.stat.mode.toString(8).padStart(3, "0").slice(-3);
  const isProgram = entry.kind === "file" && (entry.stat.mode & 0o100) !== 0;
  const gitMode = entry.kind === "symlink" ? LINK : isProgram ? "100755" : "100644";
  if ("missing" in content) {
    const bytes = entry.kind === "file" ? entry.stat.size : 0;
    return { mode, gitMode, bytes, content: { kind: "missing", why: content.missing } };
  }
  return { mode, gitMode, bytes: content.length, content: contentOf(content) };
}

/** Returns the target of a link as bytes. */
export function linkContent(target: string): Uint8Array {
  const bytes = pathBytes(target);
  return typeof bytes === "string" ? new TextEncoder().encode(bytes) : bytes;
}

function contentOf(content: Uint8Array): SideContent {
  if (content.subarray(0, LOOKED_BYTES).includes(0)) return { kind: "binary", content };
  try {
    return { kind: "text", text: strict.decode(content) };
  } catch {
    return { kind: "binary", content }; // no UTF-8
  }
}
