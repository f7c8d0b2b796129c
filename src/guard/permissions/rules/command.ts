/**
 * Comparing commands with the patterns of rules.
 *
 * To allow, everything must be provable: words are compared as bash hands them to the program. To restrict, the
 * comparison is generous. A program can still be told by its input what to run: the boundary is the sandbox, not the
 * pattern.
 */
const PLAIN_CHARACTERS_MAX = 4_096;

// No quotes, expansions, operators, redirections, braces, tildes, comments or control characters.
const PLAIN = /^[A-Za-z0-9_./=:@%+,-]+(?: [A-Za-z0-9_./=:@%+,-]+)*$/;

/** The words of a command that every shell reads the same way; undefined for any other command. */
function plainWords(command: string): readonly string[] | undefined {
  if (command.length > PLAIN_CHARACTERS_MAX || !PLAIN.test(command)) return undefined;
  const words = command.split(" ");
  const [first = ""] = words;
  // `NAME=value` would set a variable for what follows, `%1` would resume a job.
  return first.includes("=") || first.startsWith("%") ? undefined : words;
}

/** Tells whether a pattern can be written: plain words, `*` inside them, and a last ` *` for any further words. */
export function isCommandPattern(pattern: string): boolean {
  return plainWords(pattern.replaceAll("*", "x")) !== undefined;
}

/** Tells whether words certainly fall under a pattern. */
export function fallsUnder(words: readonly string[], pattern: string): boolean {
  const { heads, open } = splitPattern(pattern);
  if (open ? words.length < heads.length : words.length !== heads.length) return false;
  return heads.every((head, at) => matchesStars(words[at] ?? "", head));
}

/** How a command that is known word by word stands to a pattern that restricts. */
export type Held = "yes" | "maybe" | "no";

/**
 * Tells whether one command is what a pattern names: its program, by whatever path, and the further words in their order
 * among the arguments. `undefined` stands for words that are only known when it runs: they may be any.
 */
export function heldBy(
  name: string | undefined,
  args: readonly (string | undefined)[],
  pattern: string,
): Held {
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
 * Tells whether the words of a pattern stand in a command in their order, whatever stands between and around them.
 *
 * Takes time linear in the command. A pattern that is no plain text is looked for as it is.
 */
export function mayHold(command: string, pattern: string): boolean {
  if (!isCommandPattern(pattern)) return command.includes(pattern);
  return wordsHold(visibleWords(command), pattern);
}

/** `mayHold` for a text whose words are known: of a long one they are looked for once, whatever the number of rules. */
export function wordsHold(words: readonly string[], pattern: string): boolean {
  const { heads } = splitPattern(pattern);
  let at = 0;
  for (const word of words) {
    const head = heads[at];
    if (head === undefined) break;
    if (matchesStars(word, head) || matchesStars(word.slice(word.lastIndexOf("/") + 1), head)) at++;
  }
  return at === heads.length;
}

/** A command with quotes and escapes taken out and in small letters, for looking for names in it. */
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

/** The words of a text with quotes and escapes taken out, wherever they stand. */
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

/** `*` stands for any characters. Never goes back further than the last `*`, so it cannot explode. */
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
