import { head as headOf } from "../../../base/text/text.ts";
import type { HeadProblem } from "../../../base/text/yaml-head.ts";

/** What is wrong, in which line, counted from 1, and with which field where it is one. */
export interface FieldProblem extends HeadProblem {
  readonly field?: string;
}

const WORDS_CHARACTERS_MAX = 1_024;
const LIST_ITEMS_MAX = 100;

/** The fields of a head, each read by its type; what is none is kept as a problem, and read as if it were absent. */
export class HeadFields {
  readonly problems: FieldProblem[] = [];
  readonly #value: Readonly<Record<string, unknown>>;
  readonly #lineOf: (field: string) => number;

  /** @param lineOf counts the lines of the head from 1. */
  constructor(value: Readonly<Record<string, unknown>>, lineOf: (field: string) => number) {
    this.#value = value;
    this.#lineOf = lineOf;
  }

  /** The line of a field in its file. */
  line(field: string): number {
    return this.#lineOf(field) + 1;
  }

  at(field: string, problem: string): FieldProblem {
    return { field, line: this.line(field), problem };
  }

  wrong(field: string, problem: string): undefined {
    this.problems.push(this.at(field, problem));
  }

  words(field: string): string | undefined {
    const found = this.#found(field);
    if (found === undefined) return undefined;
    if (typeof found !== "string") return this.wrong(field, "must be a text");
    const line = found.toWellFormed().replaceAll(/\s+/g, " ").trim();
    return headOf(line, WORDS_CHARACTERS_MAX).trim();
  }

  /** Words that have to be there, and have to fit. */
  wanted(field: string, form = /./, told = "is missing"): string {
    const isThere = this.#found(field) !== undefined;
    const words = this.words(field);
    if (words !== undefined && form.test(words)) return words;
    if (words !== undefined || !isThere) this.wrong(field, isThere ? told : "is missing");
    return "";
  }

  flag(field: string): boolean {
    const found = this.#raw(field);
    if (found !== undefined && typeof found !== "boolean") this.wrong(field, "must be true or false");
    return found === true;
  }

  whole(field: string, max: number): number | undefined {
    const found = this.#raw(field);
    if (found === undefined) return undefined;
    if (Number.isSafeInteger(found) && Number(found) >= 1 && Number(found) <= max) return Number(found);
    return this.wrong(field, `must be a whole number from 1 to ${max}`);
  }

  /** @param read gives an entry, or what is wrong with it. */
  list<Entry>(field: string, read: (text: string) => Entry | Wrong): readonly Entry[] | undefined {
    const found = this.#found(field);
    if (found === undefined) return undefined;
    const items = typeof found === "string" ? splitList(found) : found;
    if (!Array.isArray(items) || !items.every((item) => typeof item === "string"))
      return this.wrong(field, "must be a list of names, or names with commas between them");
    if (items.length > LIST_ITEMS_MAX) return this.wrong(field, `has more than ${LIST_ITEMS_MAX} entries`);
    return items.flatMap((item) => {
      if (item.trim() === "") return [];
      const entry = read(item.trim());
      if (!(entry instanceof Wrong)) return [entry];
      this.wrong(field, entry.problem);
      return [];
    });
  }

  /** One that stands there with nothing behind it counts as absent. */
  #found(field: string): unknown {
    return this.#raw(field) ?? undefined;
  }

  #raw(field: string): unknown {
    return this.#value[field];
  }
}

/** An entry of a list that is none. */
export class Wrong {
  readonly problem: string;

  constructor(problem: string) {
    this.problem = problem;
  }
}

/** Commas between brackets divide nothing here. */
function splitList(text: string): readonly string[] {
  return text.split(/,(?![^()]*\))/);
}
