import type { Unsure } from "../analysis.ts";

// Control characters except tab and newline; blanks that are no blanks to bash; characters that are invisible or
// change the text direction.
const ODD =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u00a0\u00ad\u061c\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u2064\u2066-\u206f\u3000\ufeff]|\p{Cs}/u;

/** Returns the first character that is invisible to a person, or that bash and a person read differently (S06). */
export function suspiciousCharacter(command: string): Unsure | undefined {
  const found = ODD.exec(command);
  if (found === null) return undefined;
  const code = (found[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  return { at: found.index, why: `it holds the character U+${code}, which is not what it looks like` };
}
