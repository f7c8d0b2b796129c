import { SNIPPET_UNITS_MAX } from "../../protocol/queries/search-queries.ts";
import { foldedWords, foldText, shownText } from "./fold-text.ts";
import { gramsOf, toolGram } from "./grams.ts";
import type { ItemText } from "./item-texts.ts";

/** Units of a snippet before the first match. */
const UNITS_BEFORE = 60;
/** Matches that are marked in a snippet. */
const MATCHES_MAX = 50;

/** Conditions of a search; an item must fulfil all of them. */
export interface SearchConditions {
  readonly text: string;
  readonly tool?: string | undefined;
  readonly file?: string | undefined;
  /** Times of the first event of an item, as `ts` has them: from one, and below the other. */
  readonly from?: string | undefined;
  readonly below?: string | undefined;
}

/** An item that matches: the part of its text around the first match, with the matches in it. */
export interface ItemMatch {
  readonly item: Omit<ItemText, "text">;
  readonly snippet: string;
  /** Start and end of each match, in units of UTF-16. */
  readonly at: readonly (readonly number[])[];
}

/** Conditions in the form in which items are compared with them. */
export class SearchTerms {
  readonly #words: readonly string[];
  readonly #tool: string | undefined;
  readonly #file: string | undefined;
  readonly #from: string | undefined;
  readonly #below: string | undefined;

  constructor({ text, tool, file, from, below }: SearchConditions) {
    this.#words = foldedWords(text);
    this.#tool = tool;
    this.#file = file === undefined ? undefined : foldText(shownText(file));
    this.#from = from;
    this.#below = below;
  }

  /** Hashes that the text of a stretch has if an item in it matches. */
  get grams(): readonly number[] {
    const file = this.#file?.split(/\s+/).filter((piece) => piece !== "") ?? [];
    const hashes = [...this.#words, ...file].flatMap((word) => gramsOf(word));
    return [...new Set([...hashes, ...(this.#tool === undefined ? [] : [toolGram(this.#tool)])])];
  }

  /** Returns the match of an item; undefined if it does not match. */
  match(item: ItemText): ItemMatch | undefined {
    if (this.#tool !== undefined && item.tool !== this.#tool) return undefined;
    if (this.#from !== undefined && item.ts < this.#from) return undefined;
    if (this.#below !== undefined && item.ts >= this.#below) return undefined;
    const file = this.#file;
    if (file !== undefined && !item.files.some((path) => foldText(shownText(path)).includes(file)))
      return undefined;
    const { text, ...facts } = item;
    const shown = shownText(text);
    const folded = foldText(shown);
    let first = this.#words.length === 0 ? 0 : folded.length;
    for (const word of this.#words) {
      const at = folded.indexOf(word);
      if (at === -1) return undefined;
      first = Math.min(first, at);
    }
    const start = atCharacter(shown, Math.max(0, first - UNITS_BEFORE));
    const end = atCharacter(shown, start + SNIPPET_UNITS_MAX);
    return { item: facts, snippet: shown.slice(start, end), at: this.#matches(folded.slice(start, end)) };
  }

  #matches(folded: string): readonly (readonly [number, number])[] {
    const found: (readonly [number, number])[] = [];
    for (const word of this.#words) {
      let at = folded.indexOf(word);
      for (let count = 0; at !== -1 && count < MATCHES_MAX; count++) {
        found.push([at, at + word.length]);
        at = folded.indexOf(word, at + word.length);
      }
    }
    found.sort(([a], [b]) => a - b);
    const joined: [number, number][] = [];
    for (const [from, to] of found) {
      const last = joined.at(-1);
      if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to);
      else joined.push([from, to]);
    }
    return joined.slice(0, MATCHES_MAX);
  }
}

/** Returns a position that does not stand inside a character of two units. */
function atCharacter(text: string, at: number): number {
  const isInside =
    (text.charCodeAt(at) & 0xfc_00) === 0xdc_00 && (text.charCodeAt(at - 1) & 0xfc_00) === 0xd8_00;
  return isInside ? at - 1 : at;
}
