import { byteLength } from "../../../base/text/text.ts";
import type { StoreText } from "./replace-results.ts";

/** Texts that one compaction stores where tools can read them: each once, however often it is tried. */
export class StoredTexts {
  readonly #keep: StoreText;
  readonly #paths = new Map<string, string | undefined>();

  constructor(keep: StoreText) {
    this.#keep = keep;
  }

  /** Returns the path, or undefined if the text could not be stored. */
  readonly keep: StoreText = async (name, text) => {
    const key = `${name}\n${byteLength(text)}`;
    if (!this.#paths.has(key)) this.#paths.set(key, await this.#keep(name, text));
    return this.#paths.get(key);
  };

  /** Stores a request of the user, and returns the sentence that names the path. */
  readonly keepRequest = async (text: string): Promise<string> => {
    const hash = new Bun.CryptoHasher("sha256").update(text).digest("hex").slice(0, 16);
    const path = await this.keep(`request.${hash}.txt`, text);
    return path === undefined
      ? "The session's log keeps the whole."
      : `The whole is in ${path}: Read it with offset and limit, or Grep it.`;
  };
}
