import type { Analysis, ShellCommand, ShellRedirection, Structure, Unsure } from "./analysis.ts";
import {
  SHELL_CHARACTERS_READ_MAX,
  SHELL_COMMANDS_MAX,
  SHELL_HERE_DOCUMENTS_MAX,
  SHELL_SCRIPTS_MAX,
  SHELL_WORDS_READ_MAX,
} from "./analysis.ts";

/** Ends the reading of a line above a limit; caught inside this module. */
export class OverLimit extends Error {}

export type Mutable<T> = { -readonly [K in keyof T]: T[K] };

const DOUBTS_MAX = 16;

/** Results of one pass over a line, and counters of its limits. */
export class Findings {
  readonly commands: Mutable<ShellCommand>[] = [];
  readonly redirections: Mutable<ShellRedirection>[] = [];
  readonly functions = new Set<string>();
  structure: Structure = { problem: "it could not be read", grouped: false };
  readonly #unsure: Unsure[] = [];
  #characters = 0;
  #scripts = 0;
  #words = 0;

  result(): Analysis {
    const { commands, redirections, functions, structure } = this;
    return { commands, redirections, functions: [...functions], structure, unsure: this.#unsure };
  }

  /** Records a doubt. One is enough to allow nothing, so only the first few are kept. */
  doubt(at: number, why: string): void {
    if (this.#unsure.length < DOUBTS_MAX) this.#unsure.push({ at, why });
  }

  /** @throws OverLimit */
  countCharacters(count: number): void {
    this.#characters += count;
    if (this.#characters > SHELL_CHARACTERS_READ_MAX)
      throw new OverLimit("it holds scripts in scripts, too many to read");
  }

  /** Counts possible here-documents before the text is parsed. @throws OverLimit */
  countHereDocuments(text: string): void {
    let count = 0;
    for (let at = text.indexOf("<<"); at !== -1; at = text.indexOf("<<", at + 2)) count++;
    if (count > SHELL_HERE_DOCUMENTS_MAX)
      throw new OverLimit(`it holds more than ${SHELL_HERE_DOCUMENTS_MAX} here-documents`);
  }

  /** @throws OverLimit */
  countScript(): void {
    this.#scripts += 1;
    if (this.#scripts > SHELL_SCRIPTS_MAX)
      throw new OverLimit(`it holds more than ${SHELL_SCRIPTS_MAX} scripts`);
  }

  /** Counts the words of one more command. @throws OverLimit */
  countCommand(words: number): void {
    if (this.commands.length >= SHELL_COMMANDS_MAX)
      throw new OverLimit(`it holds more than ${SHELL_COMMANDS_MAX} commands`);
    this.#words += words;
    if (this.#words > SHELL_WORDS_READ_MAX)
      throw new OverLimit("it holds wrappers in wrappers, too many to read");
  }
}
