import { head as headOf } from "../../../base/text/text.ts";
import type { HeadProblem } from "../../../base/text/yaml-head.ts";

/** A problem with its line, counted from 1, and its field if there is one. */
export interface HeadFieldProblem extends HeadProblem {
  readonly field?: string;
}

const WORDS_CHARACTERS_MAX = 1_024;
const LIST_ITEMS_MAX = 100;

/** Reads the fields of a head by type. An invalid field is reported as a problem and counts as omitted. */
export class HeadFields {
  readonly problems: HeadFieldProblem[] = [];
  readonly #value: Readonly<Record<string, unknown>>;
  readonly #lineOf: (field: string) => number;

  /** @param lineOf returns the line within the head, from 1. */
  constructor(value: Readonly<Record<string, unknown>>, lineOf: (field: string) => number) {
    this.#value = value;
    this.#lineOf = lineOf;
  }

  /** Returns the line of a field in its file. */
  line(field: string): number {
    return this.#lineOf(field) + 1;
  }

  at(field: string, problem: string): HeadFieldProblem {
    return { field, line: this.line(field), problem };
  }

  addProblem(field: string, problem: string): undefined {
    this.problems.push(this.at(field, problem));
  }

  text(field: string): string | undefined {
    const found = this.#field(field);
    if (found === undefined) return undefined;
    if (typeof found !== "string") return this.addProblem(field, "must be a text");
    const line = found.toWellFormed().replaceAll(/\s+/g, " ").trim();
    return headOf(line, WORDS_CHARACTERS_MAX).trim();
  }

  /** Reads a required text that must match `form`. */
  required(field: string, form = /./, problem = "is missing"): string {
    const isThere = this.#field(field) !== undefined;
    const words = this.text(field);
    if (words !== undefined && form.test(words)) return words;
    if (words !== undefined || !isThere) this.addProblem(field, isThere ? problem : "is missing");
    return "";
  }

  flag(field: string): boolean {
    const found = this.#raw(field);
    if (found !== undefined && typeof found !== "boolean") this.addProblem(field, "must be true or false");
    return found === true;
  }

  integer(field: string, max: number): number | undefined {
    const found = this.#raw(field);
    if (found === undefined) return undefined;
    if (Number.isSafeInteger(found) && Number(found) >= 1 && Number(found) <= max) return Number(found);
    return this.addProblem(field, `must be a whole number from 1 to ${max}`);
  }

  /** @param read returns an entry, or what is wrong with it. */
  list<Entry>(field: string, read: (text: string) => Entry | InvalidEntry): readonly Entry[] | undefined {
    const found = this.#field(field);
    if (found === undefined) return undefined;
    const items = typeof found === "string" ? splitList(found) : found;
    if (!Array.isArray(items) || !items.every((item) => typeof item === "string"))
      return this.addProblem(field, "must be a list of names, or names with commas between them");
    if (items.length > LIST_ITEMS_MAX)
      return this.addProblem(field, `has more than ${LIST_ITEMS_MAX} entries`);
    return items.flatMap((item) => {
      if (item.trim() === "") return [];
      const entry = read(item.trim());
      if (!(entry instanceof InvalidEntry)) return [entry];
      this.addProblem(field, entry.problem);
      return [];
    });
  }

  /** Returns a field's value. A field without a value counts as omitted. */
  #field(field: string): unknown {
    return this.#raw(field) ?? undefined;
  }

  #raw(field: string): unknown {
    return this.#value[field];
  }
}

/** The problem of an invalid list entry. */
export class InvalidEntry {
  readonly problem: string;

  constructor(problem: string) {
    this.problem = problem;
  }
}

/** Splits a list at its commas, except within parentheses. */
function splitList(text: string): readonly string[] {
  return text.split(/,(?![^()]*\))/);
}
