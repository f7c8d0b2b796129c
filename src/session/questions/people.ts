import { defined } from "../../base/defined.ts";
import type { AskId, ClientId, IdSource } from "../../base/ids.ts";
import type { Event } from "../../protocol/events/events.ts";
import type { AttachedClient } from "../access/client.ts";
import type { NewQuestion } from "../questions.ts";

/** A session that people may be subscribed to. */
interface Watched {
  /** Number of people who are subscribed. */
  readonly people: number;
  /** Sends an event to the people who are subscribed, beside the log, and returns their number. */
  tellPeople(event: Event): number;
}

/**
 * Returns true if a client acts for the person who runs the engine: of class human, with no restriction. A client that
 * was let into one session only must not see what opens the others.
 */
export function isPerson(
  client: Partial<Pick<AttachedClient, "identityClass" | "scope">> | undefined,
): boolean {
  if (client?.identityClass !== "human") return false;
  const { scope } = client;
  return scope === undefined || (scope.sessions === "all" && scope.commands === "all");
}

/** Returns true if a client may answer permission questions of the sessions that it may see: of class human. */
export function mayAnswer(
  client: Partial<Pick<AttachedClient, "identityClass" | "scope">> | undefined,
): boolean {
  if (client?.identityClass !== "human") return false;
  const commands = client.scope?.commands ?? "all";
  return commands === "all" || commands.includes("AnswerPermission");
}

/**
 * Shows questions to all people who are subscribed, in whatever session, and to nobody else: they go into no log, and
 * no agent and no client that is bound to some sessions sees them (AUTH-03).
 */
export class People {
  readonly #ids: Pick<IdSource, "next">;
  readonly #watched: () => Iterable<Watched>;
  readonly #open = new Map<AskId, Event>();
  /** Events that need no answer by `Answer`, for those who subscribe later. */
  readonly #shown = new Set<Event>();

  constructor(ids: Pick<IdSource, "next">, watched: () => Iterable<Watched>) {
    this.#ids = ids;
    this.#watched = watched;
  }

  /** True if a person is subscribed now. */
  get isAnybody(): boolean {
    return [...this.#watched()].some(({ people }) => people > 0);
  }

  /** Events that a new subscriber gets first. */
  get initialEvents(): readonly Event[] {
    return [...this.#open.values(), ...this.#shown];
  }

  /** Shows a question until the signal aborts or it is closed; returns false if nobody is subscribed now. */
  ask(question: NewQuestion, signal: AbortSignal): boolean {
    const askId = this.#ids.next("ask");
    const asked: Event = { kind: "Asked", payload: { askId, ...question } };
    if (signal.aborted || this.#tell(asked) === 0) return false;
    this.#open.set(askId, asked);
    signal.addEventListener("abort", () => this.close(askId), { once: true });
    return true;
  }

  /** Sends an event that needs no answer to those who are subscribed now. */
  send(event: Event): void {
    this.#tell(event);
  }

  /** Sends an event to those who are subscribed now, and to each who subscribes until it is disposed. */
  show(event: Event): Disposable {
    this.#tell(event);
    this.#shown.add(event);
    return { [Symbol.dispose]: () => void this.#shown.delete(event) };
  }

  asks(askId: AskId): boolean {
    return this.#open.has(askId);
  }

  close(askId: AskId, by?: ClientId): void {
    if (!this.#open.delete(askId)) return;
    const payload = { askId, answer: null, ...defined({ by }) };
    this.#tell({ kind: "Answered", payload });
  }

  #tell(event: Event): number {
    return [...this.#watched()].reduce((count, session) => count + session.tellPeople(event), 0);
  }
}
