const HUNK = /^\| @@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;
const ONE_PLACE = /^\| @@ (everywhere|once) @@$/;
const WORDS = { "+": "added", "-": "removed", " ": "same" } as const;

/**
 * Returns the quoted lines of a change with words in place of its signs, for a screen reader: most leave out signs, and
 * an added line is then read like a removed one.
 */
export function spokenChange(lines: readonly string[]): readonly string[] {
  return lines.map((line) => {
    const hunk = HUNK.exec(line);
    if (hunk !== null) return `| at line ${hunk[2] === "0" ? hunk[1] : hunk[2]}:`;
    const [, place] = ONE_PLACE.exec(line) ?? [];
    if (place !== undefined) return `| ${place}:`;
    const [, sign, text = ""] = /^\| ([-+ ])(.*)$/s.exec(line) ?? [];
    return sign === undefined ? line : `| ${WORDS[sign as keyof typeof WORDS]}: ${text}`;
  });
}
