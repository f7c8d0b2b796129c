import type { SessionUpdate } from "@agentclientprotocol/sdk";
import type { AskId, CallId, EventSeq } from "../../base/ids.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import { reachedBy } from "../../view/follow.ts";
import { closesQuestion, questionId } from "../../view/questions/questions.ts";
import type { EditorQuestion } from "./questions.ts";
import { joined } from "./updates.ts";

/** What has happened in a session, shown again: text in long pieces, and the questions that are still open at its end. */
export class Replay {
  readonly #to: EventSeq;
  readonly #ended: () => void;
  readonly #open = new Map<CallId | AskId, EditorQuestion>();
  #waiting: SessionUpdate | undefined;

  /** @param ended called once all up to the event `to` was told. */
  constructor(to: EventSeq, ended: () => void) {
    this.#to = to;
    this.#ended = ended;
  }

  /** What is to be told by now, after one more event. */
  add(event: Envelope, updates: readonly SessionUpdate[], question: EditorQuestion | undefined) {
    for (const [id, open] of this.#open) if (closesQuestion(event, open.question)) this.#open.delete(id);
    if (question !== undefined) this.#open.set(questionId(question.question), question);
    const ready: SessionUpdate[] = [];
    for (const update of updates) {
      const both = this.#waiting === undefined ? undefined : joined(this.#waiting, update);
      if (both === undefined && this.#waiting !== undefined) ready.push(this.#waiting);
      this.#waiting = both ?? update;
    }
    if (this.isOver(event) && this.#waiting !== undefined) ready.push(this.#waiting);
    return ready;
  }

  isOver(event: Envelope): boolean {
    return reachedBy(event) >= this.#to;
  }

  /** Tells whoever waits that all of it was told, and gives the questions that are open. */
  end(): readonly EditorQuestion[] {
    this.#ended();
    return [...this.#open.values()];
  }
}
