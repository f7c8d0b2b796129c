import { shortened } from "../../base/text/text.ts";
import { neutraliseLine } from "../terminal/terminal-text.ts";

/** Characters of an untrusted text that one line shows. */
export const SHOWN_LINE_CHARACTERS_MAX = 160;

/** Returns the first line of an untrusted text that is not blank, made safe and short; undefined if all are blank. */
export function firstLine(text: string): string | undefined {
  const line = text.split("\n").find((candidate) => candidate.trim() !== "");
  if (line === undefined) return undefined;
  return shortened(neutraliseLine(line.trim()), SHOWN_LINE_CHARACTERS_MAX);
}
