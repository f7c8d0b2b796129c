import { LatestRequest } from "../layout/latest-request.ts";
import type { Services } from "../layout/services.ts";

/** Answers that are kept. */
const KEPT_MAX = 100;

/** Reads what previews need, one after the other: of the requests that come meanwhile only the newest counts. */
export class PreviewReader<Key, Answer> {
  readonly #services: Pick<Services, "redraw" | "showFailure">;
  readonly #read: (key: Key) => Promise<Answer>;
  readonly #known = new Map<Key, Answer>();
  readonly #requests: LatestRequest<Key>;

  constructor(services: Pick<Services, "redraw" | "showFailure">, read: (key: Key) => Promise<Answer>) {
    this.#services = services;
    this.#read = read;
    this.#requests = new LatestRequest(services, (key) => this.#keep(key));
  }

  /** Returns the answer; undefined until it is read. */
  of(key: Key): Answer | undefined {
    return this.#known.get(key);
  }

  /** Reads an answer once the one that is being read has come. */
  want(key: Key): void {
    this.#requests.want(key);
  }

  async #keep(key: Key): Promise<void> {
    if (this.#known.has(key)) return;
    const answer = await this.#read(key);
    const [oldest] = this.#known.keys();
    if (oldest !== undefined && this.#known.size >= KEPT_MAX) this.#known.delete(oldest);
    this.#known.set(key, answer);
    this.#services.redraw();
  }
}
