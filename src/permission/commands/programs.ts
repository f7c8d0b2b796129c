/**
 * Small programs in words: of sed, awk and jq a closed part is known to only read. Everything else asks.
 */

/** Addresses, and the commands that print, delete, number, skip or replace. No e, r, w, no flags e and w of s. */
export function sedProblem(program: string): string | undefined {
  const reader = new SedReader(program);
  return reader.read()
    ? undefined
    : `the sed program does more than print and replace: ${program.slice(0, 60)}`;
}

const SED_CHARACTERS_MAX = 4_096;

class SedReader {
  readonly #text: string;
  #at = 0;
  #open = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(): boolean {
    if (this.#text.length > SED_CHARACTERS_MAX || this.#text.includes("\\\n")) return false;
    while (this.#at < this.#text.length) {
      this.#skip(/[ \t\n;]/);
      if (this.#at >= this.#text.length) break;
      if (!this.#command()) return false;
    }
    return this.#open === 0;
  }

  #command(): boolean {
    if (this.#peek() === "#") return this.#at > 0 && this.#comment();
    if (!this.#addresses()) return false;
    this.#skip(/[ \t!]/);
    const name = this.#peek();
    this.#at++;
    switch (name) {
      case "{":
        this.#open++;
        return true;
      case "}":
        this.#open--;
        return this.#open >= 0 && this.#ends();
      case "p":
      case "d":
      case "D":
      case "P":
      case "=":
      case "g":
      case "G":
      case "h":
      case "H":
      case "x":
      case "n":
      case "N":
      case "l":
        return this.#ends();
      case "q":
      case "Q":
        this.#skip(/[ \t\d]/);
        return this.#ends();
      case "s":
        return this.#substitution() && this.#flags(/[gpiIM0-9]/) && this.#ends();
      case "y":
        return this.#substitution() && this.#ends();
      default:
        return false;
    }
  }

  #comment(): boolean {
    while (this.#at < this.#text.length && this.#peek() !== "\n") this.#at++;
    return true;
  }

  #addresses(): boolean {
    if (!this.#address()) return true;
    this.#skip(/[ \t]/);
    if (this.#peek() !== ",") return true;
    this.#at++;
    this.#skip(/[ \t]/);
    if (this.#peek() === "+" || this.#peek() === "~") this.#at++;
    return this.#address();
  }

  #address(): boolean {
    const number = /^(?:\d+(?:~\d+)?|\$)/.exec(this.#text.slice(this.#at, this.#at + 40));
    if (number !== null) {
      this.#at += number[0].length;
      return true;
    }
    if (this.#peek() !== "/") return false;
    this.#at++;
    if (!this.#delimited("/")) return false;
    this.#skip(/[IM]/);
    return true;
  }

  #substitution(): boolean {
    const delimiter = this.#peek();
    if (delimiter === undefined || /[\w\s\\;{}]/.test(delimiter)) return false;
    this.#at++;
    return this.#delimited(delimiter) && this.#delimited(delimiter);
  }

  /** Up to the next delimiter that no backslash stands before. A newline in it is read in ways that differ. */
  #delimited(delimiter: string): boolean {
    for (; this.#at < this.#text.length; this.#at++) {
      const letter = this.#text[this.#at];
      if (letter === "\n") return false;
      if (letter === "\\") this.#at++;
      else if (letter === delimiter) {
        this.#at++;
        return true;
      }
    }
    return false;
  }

  #flags(known: RegExp): boolean {
    this.#skip(known);
    return true;
  }

  #ends(): boolean {
    this.#skip(/[ \t]/);
    const next = this.#peek();
    return next === undefined || /[;\n}]/.test(next);
  }

  #skip(known: RegExp): void {
    while (this.#at < this.#text.length && known.test(this.#text[this.#at] ?? "")) this.#at++;
  }

  #peek(): string | undefined {
    return this.#text[this.#at];
  }
}

/**
 * A program without pipes, without redirections, without functions that run or read something by themselves.
 *
 * Behind the first print every > counts as a redirection, so that no string needs to be told from what stands around it.
 */
export function awkProblem(program: string): string | undefined {
  const why = `the awk program may run or write something: ${program.slice(0, 60)}`;
  if (/[@\\]\s*\n|@/.test(program)) return why;
  if (
    /system|getline|close|fflush|ENVIRON|PROCINFO|ARG[CVI]|FILENAME|SYMTAB|FUNCTAB|extension|nextfile/.test(
      program,
    )
  )
    return why;
  if (/(?<!\|)\|(?!\|)|\|\|\||\|&/.test(program)) return why;
  const print = program.indexOf("print");
  if (print !== -1 && program.includes(">", print)) return why;
  return undefined;
}

/** A filter that reads no other file, no environment and no module. */
export function jqProblem(program: string): string | undefined {
  return /\benv\b|ENV|__prog|\bimport\b|\binclude\b|modulemeta|get_search_list|input_filename|\binput_line|\bhalt|__loc__/.test(
    program,
  )
    ? `the jq filter reads more than its input: ${program.slice(0, 60)}`
    : undefined;
}
