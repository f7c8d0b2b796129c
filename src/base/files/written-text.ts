import { decode } from "../text/text.ts";
import type { HeadProblem } from "../text/yaml-head.ts";

/** Text of a file that a person wrote, or the problem if it is unreadable. */
export type WrittenText =
  | { readonly kind: "text"; readonly text: string }
  | ({ readonly kind: "problem" } & HeadProblem);

const NO_UTF8 = "it is not UTF-8 text; save it as UTF-8";
const NEWLINE = 0x0a;
const strict = new TextDecoder("utf-8", { fatal: true });

/**
 * Decodes UTF-8 of files that configure cinch. Invalid bytes are an error, never U+FFFD, since a rule about
 * `geheim.txt` in another encoding would match no file. A byte order mark is dropped.
 */
export function decodeWrittenText(bytes: Uint8Array): WrittenText {
  return isUtf8(bytes)
    ? { kind: "text", text: decode(bytes) }
    : { kind: "problem", line: badLine(bytes), problem: NO_UTF8 };
}

/** No multi-byte character contains a line feed, so each line can be checked alone. */
function badLine(bytes: Uint8Array): number {
  let line = 1;
  for (let from = 0; from < bytes.length; line += 1) {
    const end = bytes.indexOf(NEWLINE, from);
    const to = end === -1 ? bytes.length : end + 1;
    if (!isUtf8(bytes.subarray(from, to))) return line;
    from = to;
  }
  return line;
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    strict.decode(bytes);
    return true;
  } catch {
    return false; // it has no other way to fail
  }
}
