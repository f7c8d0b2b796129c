import { defined } from "../../../base/defined.ts";
import type { EventSeq, InputId, LogId } from "../../../base/ids.ts";
import { isId } from "../../../base/ids.ts";
import { isObject } from "../../../base/json.ts";
import { INPUT_DELIVERED } from "../../../engine/loop/turn.ts";
import type { Envelope } from "../../../protocol/events/envelope.ts";
import type { PayloadOf } from "../../../protocol/events/events.ts";
import { isTurnStarted } from "../../../view/turn-marks.ts";
import type { BackReader } from "../../history/read-back.ts";
import type { QueuedInput } from "../../moments.ts";
import type { SessionStore } from "../../store/store.ts";
import { INPUTS_WAITING, wantsOf } from "./input-queue.ts";

const EVENTS_PER_READ = 128;

/**
 * Returns the inputs that a log holds as accepted and neither started, delivered nor withdrawn, in order (R26).
 *
 * Reads from the end back to an event that says which inputs waited: the start of the newest turn, or the list before
 * it; and further only for the inputs in that list. Other readers share the same reading.
 */
export async function waitingInputs(
  store: Pick<SessionStore, "events">,
  logId: LogId,
  lastEvent: EventSeq,
  beside: readonly BackReader[] = [],
): Promise<readonly QueuedInput[]> {
  const reading = new ReadingBack();
  const readers = [reading, ...beside];
  for (let to = lastEvent; to > 0 && readers.some(({ done }) => !done); to -= EVENTS_PER_READ) {
    const from = Math.max(0, to - EVENTS_PER_READ);
    const page = await store.events(logId, from, to - from);
    // If content has expired a page reaches beyond its end, into what was read before.
    for (const event of page.filter(({ id }) => id <= to).toReversed())
      for (const reader of readers) reader.add(event);
  }
  return reading.waiting;
}

/** Folds events, the newest first. */
class ReadingBack implements BackReader {
  readonly #gone = new Set<InputId>();
  /** Newest content of inputs that were edited. */
  readonly #edits = new Map<InputId, QueuedInput["content"]>();
  /** The newest list that was read; inputs that it does not name came later. */
  #order: readonly InputId[] = [];
  #found: readonly QueuedInput[] = [];
  /** Inputs whose words are still to be found, once it is known which waited. */
  #missing: Set<InputId> | undefined;
  #afterTurnStart = false;

  get done(): boolean {
    return this.#missing?.size === 0;
  }

  get waiting(): readonly QueuedInput[] {
    const listed = this.#order.flatMap((id) => this.#found.find(({ inputId }) => inputId === id) ?? []);
    return [...listed, ...this.#found.filter((input) => !listed.includes(input))];
  }

  add(event: Envelope): void {
    // Inputs for a sub-agent end with it.
    if (this.done || event.parentCall !== undefined) return;
    const listed = listedInputs(event);
    if (this.#missing === undefined && listed !== undefined) this.#know(listed);
    else if (this.#afterTurnStart) this.#know([]); // nothing is listed before the start of a turn: nothing waited
    this.#afterTurnStart = false;
    if (this.done) return;
    switch (event.kind) {
      case "InputQueued":
        this.#queued(event.payload, event.id - 1);
        return;
      case "InputEdited": {
        const { inputId, content } = event.payload;
        if (!this.#edits.has(inputId)) this.#edits.set(inputId, content);
        return;
      }
      case "InputWithdrawn":
        this.#gone.add(event.payload.inputId);
        return;
      case "TurnStarted":
        this.#afterTurnStart = this.#missing === undefined && isTurnStarted(event);
        return;
      case "CustomEvent": {
        const delivered = deliveredInput(event);
        if (delivered !== undefined) this.#gone.add(delivered);
        return;
      }
      default:
        return;
    }
  }

  #queued(queued: PayloadOf<"InputQueued">, since: EventSeq): void {
    const { inputId, delivery, originator, who } = queued;
    const content = this.#edits.get(inputId) ?? queued.content;
    const isMeant = this.#missing?.delete(inputId) ?? !this.#gone.has(inputId);
    if (isMeant)
      this.#found = [
        { inputId, content, delivery, originator, since, ...defined({ who }), ...wantsOf(queued) },
        ...this.#found,
      ];
  }

  #know(listed: readonly InputId[]): void {
    this.#order = listed;
    const found = new Set(this.#found.map(({ inputId }) => inputId));
    this.#missing = new Set(listed.filter((id) => !this.#gone.has(id) && !found.has(id)));
  }
}

function listedInputs(event: Envelope): readonly InputId[] | undefined {
  const listed = payloadOf(event, INPUTS_WAITING)?.["inputIds"];
  return Array.isArray(listed) ? listed.filter(isInputId) : undefined;
}

function deliveredInput(event: Envelope): InputId | undefined {
  const id = payloadOf(event, INPUT_DELIVERED)?.["inputId"];
  return isInputId(id) ? id : undefined;
}

function payloadOf(event: Envelope, kind: string): Readonly<Record<string, unknown>> | undefined {
  if (event.kind !== "CustomEvent" || event.payload.namespace !== "cinch") return undefined;
  return event.payload.kind === kind && isObject(event.payload.payload) ? event.payload.payload : undefined;
}

function isInputId(value: unknown): value is InputId {
  return typeof value === "string" && isId("inp", value);
}
