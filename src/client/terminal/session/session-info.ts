import { HarnessError } from "../../../base/errors.ts";
import type { SessionId } from "../../../base/ids.ts";
import type { ResultOf } from "../../../protocol/queries/queries.ts";
import type { EngineLink } from "./engine-link.ts";

/** Facts of a session as its engine has them, or the refusal. */
export type SessionInfoAnswer = ResultOf<"GetSession"> | HarnessError;

/** Reads the facts of one session that only its engine has. Until the next event, all readers share one query. */
export class SessionInfoReader {
  readonly #engine: Pick<EngineLink, "query">;
  readonly #session: SessionId;
  #answer: Promise<SessionInfoAnswer> | undefined;

  constructor(engine: Pick<EngineLink, "query">, session: SessionId) {
    this.#engine = engine;
    this.#session = session;
  }

  /** Drops the answer: an event, or a change without one, may have changed the facts. */
  expire(): void {
    this.#answer = undefined;
  }

  /** Returns the shared answer, or asks. The next reader asks again after a refusal or a failure. */
  read(): Promise<SessionInfoAnswer> {
    if (this.#answer !== undefined) return this.#answer;
    const asked = this.#ask(() => {
      if (this.#answer === asked) this.expire(); // a newer answer stays
    });
    this.#answer = asked;
    return asked;
  }

  async #ask(failed: () => void): Promise<SessionInfoAnswer> {
    let answer: SessionInfoAnswer | undefined;
    try {
      answer = await this.#engine.query({ kind: "GetSession", sessionId: this.#session, last: 0 });
      return answer;
    } finally {
      if (answer === undefined || answer instanceof HarnessError) failed();
    }
  }
}
