import type { AskId, ClientId, IdSource } from "../../base/ids.ts";
import type { Event } from "../../protocol/events/events.ts";
import type { AttachedClient } from "../access/client.ts";
import type { Question } from "../questions.ts";

/** Where people follow. */
interface Watched {
  /** How many people follow. */
  readonly people: number;
  /** Tells the people who follow, beside the log, and gives how many there are. */
  tellPeople(event: Event): number;
}

/**
 * Whether a client stands for the person whose engine this is: of class human, with nothing that it may not do. Who was let
 * into one session only must not see what opens the others.
 */
export function isPerson(
  client: Partial<Pick<AttachedClient, "identityClass" | "scope">> | undefined,
): boolean {
  if (client?.identityClass !== "human") return false;
  const { scope } = client;
  return scope === undefined || (scope.sessions === "all" && scope.commands === "all");
}

/**
 * What the people who watch are shown, whichever session they follow, and nobody else: it goes into no log, and no agent
 * and no client that is bound to some sessions sees it (AUTH-03).
 */
export class People {
  readonly #ids: Pick<IdSource, "next">;
  readonly #watched: () => Iterable<Watched>;
  readonly #open = new Map<AskId, Event>();

  constructor(ids: Pick<IdSource, "next">, watched: () => Iterable<Watched>) {
    this.#ids = ids;
    this.#watched = watched;
  }

  /** Whether a person watches now. */
  get isAnybody(): boolean {
    return [...this.#watched()].some(({ people }) => people > 0);
  }

  /** What somebody who comes now is told first. */
  get told(): readonly Event[] {
    return [...this.#open.values()];
  }

  /** Shows a question until the signal aborts or somebody closes it; false where nobody watches now. */
  ask(question: Question, signal: AbortSignal): boolean {
    const askId = this.#ids.next("ask");
    const asked: Event = { kind: "Asked", payload: { askId, ...question } };
    if (signal.aborted || this.#tell(asked) === 0) return false;
    this.#open.set(askId, asked);
    signal.addEventListener("abort", () => this.close(askId), { once: true });
    return true;
  }

  /** Tells what needs no answer, to those who watch now. */
  tell(event: Event): void {
    this.#tell(event);
  }

  asks(askId: AskId): boolean {
    return this.#open.has(askId);
  }

  close(askId: AskId, by?: ClientId): void {
    if (!this.#open.delete(askId)) return;
    const payload = { askId, answer: null, ...(by === undefined ? {} : { by }) };
    this.#tell({ kind: "Answered", payload });
  }

  #tell(event: Event): number {
    return [...this.#watched()].reduce((count, session) => count + session.tellPeople(event), 0);
  }
}
