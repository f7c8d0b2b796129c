import type { IdSource, LogId, SessionId } from "../../base/ids.ts";
import { People } from "../../session/questions/people.ts";
import type { Session } from "../../session/turns/session.ts";

/**
 * The sessions that run in one engine, and the people who are subscribed to them. It exists before the first of them,
 * for code that only reads them; the hub adds and removes them.
 */
export class RunningSessions {
  readonly #byId = new Map<SessionId, Session>();
  /** People who are subscribed to some session. */
  readonly people: People;

  constructor(ids: Pick<IdSource, "next">) {
    this.people = new People(ids, () => this.#byId.values());
  }

  /** Number of sessions that have not ended. */
  get size(): number {
    return this.#byId.size;
  }

  get ids(): readonly SessionId[] {
    return [...this.#byId.keys()];
  }

  get all(): readonly Session[] {
    return [...this.#byId.values()];
  }

  /** True if one of them works without a subscriber: in a turn, or in a task in the background. */
  get busy(): boolean {
    return this.all.some(({ busy }) => busy);
  }

  get(id: SessionId): Session | undefined {
    return this.#byId.get(id);
  }

  /** Returns the session that writes a log; one that is being ended only if there is no other. */
  onLog(log: LogId): Session | undefined {
    const found = this.all.filter(({ logId }) => logId === log);
    return found.find(({ ending }) => ending === undefined) ?? found[0];
  }

  /** Returns the number of people who are subscribed to a session. */
  peopleIn(id: SessionId): number {
    return this.#byId.get(id)?.people ?? 0;
  }

  add(session: Session): void {
    this.#byId.set(session.id, session);
  }

  remove(id: SessionId): void {
    this.#byId.delete(id);
  }

  clear(): void {
    this.#byId.clear();
  }
}
