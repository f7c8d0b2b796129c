import { fileURLToPath } from "node:url";
import type { LineRange } from "../../../base/text/text.ts";
import { lineRangeText } from "../../../base/text/text.ts";

/** A file that an editor names by its address. */
export interface NamedFile {
  readonly path: string;
  /** False for a file of another machine. */
  readonly isHere: boolean;
  /** Its selected lines, from 1. Absent: all. */
  readonly lines?: LineRange;
}

const SCHEME = /^[a-z][a-z\d+.-]*:/i;

/** `#L5:15`, `#L5-15` and `#L5-L15` as editors write a selection, `#L5` for one line. */
const SELECTION = /^#L(\d{1,9})(?:[:-]L?(\d{1,9}))?$/;

/**
 * Returns the file that an address means; undefined for one of another scheme. An address without a scheme is a path.
 * A file of another machine has its path there, so that rules about the name of a file hold for it, too.
 */
export function namedFile(uri: string): NamedFile | undefined {
  if (!SCHEME.test(uri)) {
    const [path = "", ...after] = uri.split("#");
    return { path: decoded(path), isHere: true, ...selection(`#${after.join("#")}`) };
  }
  const url = URL.parse(uri);
  if (url?.protocol !== "file:") return undefined;
  return { path: pathOf(url), isHere: url.host === "", ...selection(url.hash) };
}

/** Returns selected lines in words for the end of a path. */
export function linesText({ lines }: Pick<NamedFile, "lines">): string {
  return lines === undefined ? "" : `, ${lineRangeText(lines)}`;
}

function selection(hash: string): Pick<NamedFile, "lines"> {
  const [, first, last = first] = SELECTION.exec(hash) ?? [];
  return first === undefined ? {} : { lines: { first: Number(first), last: Number(last) } };
}

function pathOf({ pathname }: URL): string {
  try {
    return fileURLToPath(`file://${pathname}`);
  } catch {
    return decoded(pathname); // an encoded slash
  }
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path; // a percent sign of its own
  }
}
