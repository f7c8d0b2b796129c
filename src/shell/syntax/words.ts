import type { Assignment, Word, WordPart } from "unbash";
import type { ShellWord } from "../analysis.ts";

/**
 * Reads one word of the syntax tree. A word that is not certainly one fixed argument is `unknown`, with the reason.
 */
export function parseWord(word: Word): ShellWord {
  const { text } = word;
  const parts = word.parts ?? [];
  if (parts.length === 0) return plain(text, word.value);
  const reader = new Reader();
  const unquoted = parts.flatMap((part) => (part.type === "Literal" ? [part.text] : [])).join("");
  const problem = bracesIn(unquoted) ?? tildeIn(unquoted);
  if (problem !== undefined) return { kind: "unknown", text, why: problem };
  for (const [at, part] of parts.entries()) {
    reader.add(part, at === 0);
    if (reader.why !== undefined) return { kind: "unknown", text, why: reader.why };
  }
  const [first] = parts;
  const leading = first?.type === "Literal" ? first.text : "";
  return reader.finish(text, leading);
}

/** Reads an assignment that is an argument (`export A=b`): one word, known if its value is. */
export function assignmentWord({ text, name, value, append, index }: Assignment): ShellWord {
  if (value.type !== "Word" || index !== undefined || append === true)
    return { kind: "unknown", text, why: "an array or an appended value" };
  const read = parseWord(value);
  if (read.kind !== "known" || read.home) return { kind: "unknown", text, why: "the value is expanded" };
  return { kind: "known", text, value: `${name}=${read.value}`, home: false };
}

/** Reads a word without quotes and expansions, at most with backslashes. */
function plain(text: string, value: string): ShellWord {
  const problem = unquotedProblem(text);
  if (problem !== undefined) return { kind: "unknown", text, why: problem };
  return { kind: "known", text, value, home: text.startsWith("~") };
}

/** Joins the parts of one word. */
class Reader {
  why: string | undefined;
  #value = "";
  #pattern = "";
  #globs = false;
  #whole = true;
  readonly #names: string[] = [];

  add(part: WordPart, first: boolean): void {
    switch (part.type) {
      case "Literal":
        if (first) this.why = unquotedProblem(part.text);
        this.#literal(part.value);
        return;
      case "SingleQuoted":
        this.#literal(part.value);
        return;
      case "AnsiCQuoted":
        if (!SIMPLE_ANSI_C.test(part.text)) this.why = "an escape of $'…' that bash may read in another way";
        this.#literal(part.value);
        return;
      case "DoubleQuoted":
        for (const child of part.parts) this.#inQuotes(child);
        return;
      case "Glob":
        this.#globs = true;
        this.#pattern += part.text;
        this.#value += part.text;
        if (part.kind === "bracket" && /[\\'"$`{}[:]/.test(part.text.slice(1)))
          this.why = "a character class with quotes or expansions";
        return;
      case "SimpleExpansion":
      case "ParameterExpansion":
        this.#whole = false;
        this.#variable(part);
        return;
      default:
        this.why = EXPANSIONS[part.type];
    }
  }

  finish(text: string, leading: string): ShellWord {
    const home = leading.startsWith("~");
    if (this.#names.length > 0) {
      if (this.#globs || home) return { kind: "unknown", text, why: "variables and a pattern in one word" };
      return { kind: "variables", text, names: this.#names, whole: this.#whole };
    }
    if (home && !/^~(?:\/|$)/.test(text)) return { kind: "unknown", text, why: "a quoted part behind ~" };
    if (this.#globs) return { kind: "glob", text, pattern: this.#pattern, home };
    return { kind: "known", text, value: this.#value, home };
  }

  #inQuotes(part: WordPart): void {
    if (part.type === "Literal") this.#literal(part.value);
    else if (part.type === "SimpleExpansion" || part.type === "ParameterExpansion") this.#variable(part);
    else this.why = part.type in EXPANSIONS ? EXPANSIONS[part.type as keyof typeof EXPANSIONS] : part.type;
  }

  #variable(part: Extract<WordPart, { type: "SimpleExpansion" | "ParameterExpansion" }>): void {
    const name = /^\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*|[?#$!0-9@*-]))$/.exec(part.text);
    const plainName = name?.[1] ?? name?.[2];
    if (plainName === undefined) this.why = `the expansion ${part.text}`;
    else this.#names.push(plainName);
  }

  #literal(value: string): void {
    this.#value += value;
    this.#pattern += value.replaceAll(/[\\*?[\]{}!]/g, "\\$&");
  }
}

const SIMPLE_ANSI_C =
  /^\$'(?:[^\\]|\\[abefnrtv\\'"?]|\\(?:0(?:0[1-7]|[1-7][0-7])|1[0-7][0-7])|\\x(?:0[1-9a-fA-F]|[1-7][0-9a-fA-F])(?![0-9a-fA-F]))*'$/s;

const EXPANSIONS = {
  LocaleString: "a string that a translation may replace",
  CommandExpansion: "what a command substitution writes",
  ArithmeticExpansion: "the value of an expression",
  ProcessSubstitution: "a process substitution",
  ExtendedGlob: "a pattern that bash reads only after shopt -s extglob",
  BraceExpansion: "a brace expansion",
} as const;

function unquotedProblem(text: string): string | undefined {
  if (text.startsWith("~") && !/^~(?:\/|$)/.test(text)) return "a ~ that stands for another directory";
  return bracesIn(text) ?? tildeIn(text);
}

/** Braces without a comma and without two dots are literal to bash. */
function bracesIn(text: string): string | undefined {
  return text.includes("{") && /,|\.\./.test(text) ? "a brace expansion" : undefined;
}

/** bash expands a ~ after the = of a word that looks like an assignment, and after a colon in it. */
function tildeIn(text: string): string | undefined {
  return /[=:]~/.test(text) ? "a ~ behind = or :" : undefined;
}
