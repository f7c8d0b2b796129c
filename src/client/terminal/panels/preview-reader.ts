import { inBackground } from "../layout/in-background.ts";
import type { Services } from "../layout/services.ts";

/** Answers that are kept. */
const KEPT_MAX = 100;

/** Reads what previews need, one after the other: of the wishes that come meanwhile only the newest counts. */
export class PreviewReader<Key, Answer> {
  readonly #services: Pick<Services, "redraw" | "tell">;
  readonly #read: (key: Key) => Promise<Answer>;
  readonly #known = new Map<Key, Answer>();
  #wanted: { readonly key: Key } | undefined;
  #isReading = false;

  constructor(services: Pick<Services, "redraw" | "tell">, read: (key: Key) => Promise<Answer>) {
    this.#services = services;
    this.#read = read;
  }

  /** Returns the answer; undefined until it is read. */
  of(key: Key): Answer | undefined {
    return this.#known.get(key);
  }

  /** Reads an answer once the one that is being read has come. */
  want(key: Key): void {
    this.#wanted = { key };
    if (!this.#isReading) inBackground(this.#readAll(), this.#services);
  }

  async #readAll(): Promise<void> {
    this.#isReading = true;
    try {
      while (this.#wanted !== undefined) {
        const { key } = this.#wanted;
        this.#wanted = undefined;
        if (this.#known.has(key)) continue;
        const answer = await this.#read(key);
        const [oldest] = this.#known.keys();
        if (oldest !== undefined && this.#known.size >= KEPT_MAX) this.#known.delete(oldest);
        this.#known.set(key, answer);
        this.#services.redraw();
      }
    } finally {
      this.#isReading = false;
    }
  }
}
