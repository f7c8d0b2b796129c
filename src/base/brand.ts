declare const brand: unique symbol;

/**
 * Text that may stand in a prompt as it is: our own words, or foreign text that the fence has wrapped.
 *
 * Only `safety/fence` and `ownWords` make one ([A] hard rule 12).
 */
export type PromptText = string & { readonly [brand]: "PromptText" };

/** Our own words, written in this repository or by the user in their own configuration. */
export function ownWords(text: string): PromptText {
  return text as PromptText;
}

/** A value that must not be printed, logged or serialised: every such attempt shows its kind instead. */
export class Secret {
  readonly #value: string;
  readonly kind: string;

  constructor(kind: string, value: string) {
    this.kind = kind;
    this.#value = value;
  }

  /** The value itself. Called only where it is put on a wire or compared. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return `«secret:${this.kind}»`;
  }

  toJSON(): string {
    return this.toString();
  }

  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return this.toString();
  }
}
