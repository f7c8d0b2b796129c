declare const brand: unique symbol;

/**
 * Text that is safe in a prompt: cinch's own words, or foreign text in a fence.
 *
 * Only `safety/fence` and `ownWords` create one ([A] hard rule 12).
 */
export type PromptText = string & { readonly [brand]: "PromptText" };

/** Marks trusted text, written in this repository or by the user in their configuration. */
export function trustedText(text: string): PromptText {
  return text as PromptText;
}

/** A value that must not be printed, logged or serialised: such an attempt shows its kind instead. */
export class Secret {
  readonly #value: string;
  readonly kind: string;

  constructor(kind: string, value: string) {
    this.kind = kind;
    this.#value = value;
  }

  /** Returns the value. Call it only to send or compare it. */
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
