import { decode } from "../text/text.ts";
import type { HeadProblem } from "../text/yaml-head.ts";

/** What a person wrote into a file, or where it is none that can be read. */
export type WrittenText =
  | { readonly kind: "text"; readonly text: string }
  | ({ readonly kind: "problem" } & HeadProblem);

const NO_UTF8 = "it is no UTF-8 text; save it as UTF-8";
const NEWLINE = 0x0a;
const strict = new TextDecoder("utf-8", { fatal: true });

/**
 * UTF-8 bytes of what steers cinch, as text: none of them may become U+FFFD in silence, since a rule about `geheim.txt`
 * in another encoding is about no file. A byte order mark is dropped.
 */
export function writtenText(bytes: Uint8Array): WrittenText {
  return isUtf8(bytes)
    ? { kind: "text", text: decode(bytes) }
    : { kind: "problem", line: badLine(bytes), problem: NO_UTF8 };
}

/** No character of more than one byte has a line's end in it, so each line can be looked at alone. */
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
