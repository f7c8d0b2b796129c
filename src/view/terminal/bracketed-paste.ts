/** Input of a terminal: keys of a person, or text that the terminal marks as pasted. */
export type TypedPiece =
  | { readonly kind: "keys"; readonly text: string }
  | { readonly kind: "paste"; readonly text: string };

/** Turns bracketed paste on and off. */
export const PASTE_ON = "\u001b[?2004h";
export const PASTE_OFF = "\u001b[?2004l";

/** A longer paste is cut to this. */
export const PASTE_CHARACTERS_MAX = 1_048_576;

/** Marks that a terminal sets around a pasted text. */
export const PASTE_BEGIN = "\u001b[200~";
export const PASTE_END = "\u001b[201~";

/**
 * Splits the input of a terminal into keys and pasted texts, wherever the chunks are cut.
 *
 * Keys are returned at once. A paste is returned whole, when its end was read.
 */
export class BracketedPaste {
  /** End of the last chunk, if it may be the beginning of a marker. */
  #held = "";
  #paste: string | undefined;

  /** True while something was read that is not returned yet. */
  get isWaiting(): boolean {
    return this.#held !== "" || this.#paste !== undefined;
  }

  /** True between the beginning and the end of a paste. */
  get isPasting(): boolean {
    return this.#paste !== undefined;
  }

  read(chunk: string): readonly TypedPiece[] {
    let rest = this.#held + chunk;
    this.#held = "";
    const pieces: TypedPiece[] = [];
    while (rest !== "") {
      const isPaste = this.#paste !== undefined;
      const marker = isPaste ? PASTE_END : PASTE_BEGIN;
      const at = rest.indexOf(marker);
      const heldFrom = at >= 0 ? at : rest.length - beginningOf(marker, rest);
      this.#add(rest.slice(0, heldFrom), pieces);
      if (at < 0) {
        this.#held = rest.slice(heldFrom);
        break;
      }
      if (isPaste) pieces.push(...this.#ended());
      else this.#paste = "";
      rest = rest.slice(at + marker.length);
    }
    return pieces;
  }

  /** Returns held input, for a terminal that sends nothing more: an Escape key, a paste without an end. */
  flush(): readonly TypedPiece[] {
    const pieces: TypedPiece[] = [];
    this.#add(this.#held, pieces);
    this.#held = "";
    return [...pieces, ...this.#ended()];
  }

  #add(text: string, pieces: TypedPiece[]): void {
    if (text === "") return;
    if (this.#paste === undefined) pieces.push({ kind: "keys", text });
    else this.#paste = (this.#paste + text).slice(0, PASTE_CHARACTERS_MAX);
  }

  #ended(): readonly TypedPiece[] {
    const text = this.#paste;
    this.#paste = undefined;
    return text === undefined || text === "" ? [] : [{ kind: "paste", text }];
  }
}

/** Returns the number of characters at the end of a text that begin a marker. */
function beginningOf(marker: string, text: string): number {
  for (let length = Math.min(marker.length - 1, text.length); length > 0; length -= 1) {
    if (text.endsWith(marker.slice(0, length))) return length;
  }
  return 0;
}

/**
 * Returns true for keys that no person typed one by one: a line that ended with more behind it, read at once. A
 * terminal without bracketed paste sends pasted lines like that.
 */
export function isBurst(keys: string): boolean {
  return /[\r\n][^\r\n]|[\r\n]{3}/.test(keys);
}
