import { HarnessError } from "../../../base/errors.ts";
import type { SessionId } from "../../../base/ids.ts";
import type { ResultOf } from "../../../protocol/queries/queries.ts";
import { refusalText } from "../../../view/texts/refusal-text.ts";
import type { Services } from "../layout/services.ts";
import { inBackground } from "../panels/in-background.ts";

type Item = ResultOf<"ListItems">["items"][number];

/** One of the last items of a session. */
export type LastItem = Pick<Item, "kind" | "text">;

const ITEMS_READ = 30;
/** Sessions whose items are kept. */
const KEPT_MAX = 100;

/** Last items of sessions, read one session after the other: only the newest wish counts. */
export class LastItems {
  readonly #services: Pick<Services, "session" | "redraw" | "tell">;
  readonly #known = new Map<SessionId, readonly LastItem[] | string>();
  #wanted: SessionId | undefined;
  #isReading = false;

  constructor(services: Pick<Services, "session" | "redraw" | "tell">) {
    this.#services = services;
  }

  /** Returns the items, or why they cannot be read; undefined until they are read. */
  of(session: SessionId): readonly LastItem[] | string | undefined {
    return this.#known.get(session);
  }

  /** Reads the items of a session once those that are being read have come. */
  want(session: SessionId): void {
    this.#wanted = session;
    if (!this.#isReading) inBackground(this.#read(), this.#services);
  }

  async #read(): Promise<void> {
    this.#isReading = true;
    try {
      for (let session = this.#next(); session !== undefined; session = this.#next()) {
        const answer = await this.#services.session.query({
          kind: "ListItems",
          sessionId: session,
          limit: ITEMS_READ,
        });
        const [oldest] = this.#known.keys();
        if (oldest !== undefined && this.#known.size >= KEPT_MAX) this.#known.delete(oldest);
        this.#known.set(session, answer instanceof HarnessError ? refusalText(answer) : answer.items);
        this.#services.redraw();
      }
    } finally {
      this.#isReading = false;
    }
  }

  #next(): SessionId | undefined {
    const session = this.#wanted;
    this.#wanted = undefined;
    return session === undefined || this.#known.has(session) ? undefined : session;
  }
}
