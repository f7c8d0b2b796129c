/**
 * Compares commands with the patterns of rules.
 *
 * To allow, everything must be provable: words are compared as bash passes them to the program. To restrict,
 * the comparison is generous. A program's input can still control what it runs: the boundary is the sandbox,
 * not the pattern.
 */
const PLAIN_CHARACTERS_MAX = 4_096;

// No quotes, expansions, operators, redirections, braces, tildes, comments or control characters.
const PLAIN = /^[A-Za-z0-9_./=:@%+,-]+(?: [A-Za-z0-9_./=:@%+,-]+)*$/;

/** Returns the words of a command that every shell parses in the same way; undefined for any other command. */
function plainWords(command: string): readonly string[] | undefined {
  if (command.length > PLAIN_CHARACTERS_MAX || !PLAIN.test(command)) return undefined;
  const words = command.split(" ");
  const [first = ""] = words;
  // `NAME=value` would set a variable for what follows, `%1` would resume a job.
  return first.includes("=") || first.startsWith("%") ? undefined : words;
}

/** Returns true if a pattern is valid: plain words, `*` inside them, and a last ` *` for any further words. */
export function isCommandPattern(pattern: string): boolean {
  return plainWords(pattern.replaceAll("*", "x")) !== undefined;
}

/** Returns true if words certainly match a pattern. */
export function matchesPattern(words: readonly string[], pattern: string): boolean {
  const { heads, open } = splitPattern(pattern);
  if (open ? words.length < heads.length : words.length !== heads.length) return false;
  return heads.every((head, at) => matchesStars(words[at] ?? "", head));
}

/** Result of comparing a command with a restricting pattern. */
export type PatternMatch = "yes" | "maybe" | "no";

/**
 * Checks whether one command is what a pattern names: its program, by whatever path, and the further words in their
 * order among the arguments. `undefined` stands for words that are known only when it runs: they may be any.
 */
export function matchCommand(
  name: string | undefined,
  args: readonly (string | undefined)[],
  pattern: string,
): PatternMatch {
  const [program = "", ...further] = splitPattern(pattern).heads;
  if (name === undefined) return "maybe";
  const called = name.slice(name.lastIndexOf("/") + 1);
  if (program !== "" && !matchesStars(name, program) && !matchesStars(called, program)) return "no";
  let at = 0;
  for (const arg of args) {
    const head = further[at];
    if (head === undefined) break;
    if (arg !== undefined && matchesStars(arg, head)) at++;
  }
  if (at === further.length) return "yes";
  return args.includes(undefined) ? "maybe" : "no";
}

/**
 * Returns true if the words of a pattern occur in a command in their order, with anything between and around them.
 *
 * Takes time linear in the command. A pattern that is not plain text is searched literally.
 */
export function mayContainPattern(command: string, pattern: string): boolean {
  if (!isCommandPattern(pattern)) return command.includes(pattern);
  return wordsContainPattern(visibleWords(command), pattern);
}

/** Does the same for a text that is split already: a long one is split once, whatever the number of rules. */
export function wordsContainPattern(words: readonly string[], pattern: string): boolean {
  const { heads } = splitPattern(pattern);
  let at = 0;
  for (const word of words) {
    const head = heads[at];
    if (head === undefined) break;
    if (matchesStars(word, head) || matchesStars(word.slice(word.lastIndexOf("/") + 1), head)) at++;
  }
  return at === heads.length;
}

/** Returns a command without quotes and escapes, in lower case, to search for names in it. */
export function unquoted(command: string): string {
  return command
    .replaceAll(/\\\r?\n/g, "")
    .replaceAll(/\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|([0-7]{3}))/g, (_all, hex, wide, octal) =>
      String.fromCodePoint(
        octal === undefined ? Number.parseInt(hex ?? wide, 16) : Number.parseInt(octal, 8),
      ),
    )
    .replaceAll(/\$(?=['"])|['"\\]/g, "");
}

/** Returns the words of a text without quotes and escapes. */
export function visibleWords(command: string): readonly string[] {
  return unquoted(command)
    .split(/[^A-Za-z0-9_./=:@%+,-]+/)
    .filter((word) => word !== "");
}

function splitPattern(pattern: string): { readonly heads: readonly string[]; readonly open: boolean } {
  const words = pattern.split(" ");
  const open = words.at(-1) === "*";
  return { heads: open ? words.slice(0, -1) : words, open };
}

/** Matches `*` against any characters. Never backtracks further than to the last `*`, so it cannot explode. */
export function matchesStars(word: string, pattern: string): boolean {
  let at = 0;
  let inPattern = 0;
  let star = -1;
  let starAt = 0;
  while (at < word.length) {
    if (pattern[inPattern] === "*") {
      star = inPattern++;
      starAt = at;
    } else if (pattern[inPattern] === word[at]) {
      inPattern++;
      at++;
    } else if (star >= 0) {
      inPattern = star + 1;
      at = ++starAt;
    } else {
      return false;
    }
  }
  while (pattern[inPattern] === "*") inPattern++;
  return inPattern === pattern.length;
}
