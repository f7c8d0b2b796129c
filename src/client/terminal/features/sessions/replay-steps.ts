import { HarnessError } from "../../../../base/errors.ts";
import type { EventSeq, SessionId } from "../../../../base/ids.ts";
import type { Envelope } from "../../../../protocol/events/envelope.ts";
import type { QueryOf, ResultOf } from "../../../../protocol/queries/queries.ts";
import type { TranscriptItem } from "../../../../view/transcript/items.ts";
import { NEW_TRANSCRIPT, transcriptAfter } from "../../../../view/transcript/transcript.ts";
import type { SessionAccess } from "../../layout/services.ts";

type Item = ResultOf<"ListItems">["items"][number];

/** One step of a replay: an item of the log. */
export interface ReplayStep {
  readonly item: Item;
  /** The item as a reader sees it; absent until it is read, empty if nothing of it is shown. */
  readonly shown?: readonly TranscriptItem[];
}

const PAGE_ITEMS = 100;
/** Steps before the one at hand that are read with it, to fill the screen. */
const STEPS_BEFORE = 12;
/** Items that are kept around the step at hand, and those of them that are kept whole. */
const ITEMS_MAX = 2_000;
const SHOWN_MAX = 200;

/** The steps of a stored session as far as they are read: a window of neighbours in its log. Nothing runs again. */
export class ReplaySteps {
  readonly #query: SessionAccess["query"];
  readonly #session: SessionId;
  #items: readonly Item[] = [];
  #hasBefore = false;
  #hasAfter = false;
  readonly #shown = new Map<EventSeq, readonly TranscriptItem[]>();
  #at = 0;

  constructor(session: SessionId, query: SessionAccess["query"]) {
    this.#session = session;
    this.#query = query;
  }

  /** The step at hand; undefined before the first page is read, and in an empty log. */
  get current(): Item | undefined {
    return this.#items[this.#at];
  }

  get isFirst(): boolean {
    return this.#at === 0 && !this.#hasBefore;
  }

  get isLast(): boolean {
    return this.#at >= this.#items.length - 1 && !this.#hasAfter;
  }

  /** Returns the steps up to the one at hand, the newest first. */
  *backwards(): Generator<ReplayStep> {
    for (let at = Math.min(this.#at, this.#items.length - 1); at >= 0; at -= 1) {
      const item = this.#items[at];
      if (item === undefined) return;
      const shown = this.#shown.get(item.event);
      yield shown === undefined ? { item } : { item, shown };
    }
  }

  /** Goes to the first item at or behind an event. @throws HarnessError the engine's refusal. */
  async goTo(event: EventSeq): Promise<void> {
    const page = await this.#page({ after: Math.max(0, event - 1) });
    this.#begin(page, { hasBefore: event > 1, hasAfter: page.more });
    this.#at = 0;
    if (this.#items.length === 0 && event > 1) return await this.end();
    await this.#readAround();
  }

  /** Goes to the last item. @throws HarnessError the engine's refusal. */
  async end(): Promise<void> {
    const page = await this.#page({});
    this.#begin(page, { hasBefore: page.more, hasAfter: false });
    this.#at = Math.max(0, this.#items.length - 1);
    await this.#readAround();
  }

  /**
   * Steps forward, or back, to the next item of which something is shown. Returns false at the end of the log.
   * @throws HarnessError the engine's refusal.
   */
  async move(by: 1 | -1): Promise<boolean> {
    let isMoved = false;
    while (await this.#step(by)) {
      isMoved = true;
      await this.#readAround();
      const { current } = this;
      if (current === undefined || (this.#shown.get(current.event) ?? []).length > 0) break;
    }
    return isMoved;
  }

  /** Goes to the start of the next turn. Returns false if there is none. @throws HarnessError the engine's refusal. */
  async nextTurn(): Promise<boolean> {
    const answer = await this.#turns({ after: this.current?.turn ?? this.#turnBefore(), limit: 1 });
    const [turn] = answer.turns;
    if (turn === undefined) return false;
    await this.goTo(turn.first_event);
    return true;
  }

  /** Goes to the start of this turn, or of the one before. Returns false at the first one. */
  async previousTurn(): Promise<boolean> {
    const { current } = this;
    if (current === undefined) return false;
    const turn = current.turn ?? this.#turnBefore() + 1;
    const isAtStart = current.turn === undefined || current.kind === "prompt";
    const answer = await this.#turns({ before: isAtStart ? turn : turn + 1, limit: 1 });
    const found = answer.turns.at(-1);
    if (found === undefined) return false;
    await this.goTo(found.first_event);
    return true;
  }

  /** Goes to the start of a turn. Returns false if there is no such turn. @throws HarnessError the engine's refusal. */
  async toTurn(turn: number): Promise<boolean> {
    const [found] = (await this.#turns({ after: turn - 1, limit: 1 })).turns;
    if (found?.turn !== turn) return false;
    await this.goTo(found.first_event);
    return true;
  }

  /** The last turn at or before the step at hand; 0 for none. */
  #turnBefore(): number {
    for (const { item } of this.backwards()) if (item.turn !== undefined) return item.turn;
    return 0;
  }

  async #step(by: 1 | -1): Promise<boolean> {
    if (this.#at + by < 0) await this.#extendBefore();
    else if (this.#at + by >= this.#items.length) await this.#extendAfter();
    const to = this.#at + by;
    if (to < 0 || to >= this.#items.length) return false;
    this.#at = to;
    return true;
  }

  async #extendBefore(): Promise<void> {
    const [first] = this.#items;
    if (!this.#hasBefore || first === undefined) return;
    const page = await this.#page({ before: first.event });
    this.#items = [...page.items, ...this.#items];
    this.#hasBefore = page.more;
    this.#at += page.items.length;
    if (this.#items.length <= ITEMS_MAX) return;
    this.#items = this.#items.slice(0, ITEMS_MAX);
    this.#hasAfter = true;
  }

  async #extendAfter(): Promise<void> {
    const last = this.#items.at(-1);
    if (!this.#hasAfter || last === undefined) return;
    const page = await this.#page({ after: last.event });
    const items = [...this.#items, ...page.items];
    const dropped = Math.max(0, items.length - ITEMS_MAX);
    this.#items = items.slice(dropped);
    this.#hasAfter = page.more;
    this.#at -= dropped;
    if (dropped > 0) this.#hasBefore = true;
  }

  #begin(
    { items }: Pick<ResultOf<"ListItems">, "items">,
    { hasBefore, hasAfter }: { readonly hasBefore: boolean; readonly hasAfter: boolean },
  ): void {
    this.#items = items;
    this.#hasBefore = hasBefore;
    this.#hasAfter = hasAfter;
    this.#shown.clear();
  }

  /** Reads the step at hand, and some before it. */
  async #readAround(): Promise<void> {
    if (this.#at < STEPS_BEFORE) await this.#extendBefore();
    const missing = this.backwards()
      .take(STEPS_BEFORE)
      .filter(({ shown }) => shown === undefined)
      .map(({ item }) => item.event)
      .toArray();
    await Promise.all(missing.map((event) => this.#read(event)));
    // A map has its keys in the order in which they were set.
    for (const event of this.#shown
      .keys()
      .take(Math.max(0, this.#shown.size - SHOWN_MAX))
      .toArray())
      this.#shown.delete(event);
  }

  async #read(event: EventSeq): Promise<void> {
    const answer = await this.#query({ kind: "GetItem", sessionId: this.#session, event });
    if (answer instanceof HarnessError) throw answer;
    // The answer is read-only all the way down; an envelope is not.
    const events = answer.events as readonly Envelope[];
    const { segments } = events.reduce(transcriptAfter, NEW_TRANSCRIPT);
    this.#shown.set(
      event,
      segments.flatMap(({ items = [] }) => items),
    );
  }

  async #page(page: Partial<QueryOf<"ListItems">>): Promise<ResultOf<"ListItems">> {
    const sessionId = this.#session;
    let answer = await this.#query({ ...page, kind: "ListItems", sessionId, limit: PAGE_ITEMS });
    // A page without items says where the next one begins.
    while (!(answer instanceof HarnessError) && answer.items.length === 0 && answer.next !== undefined) {
      const next = page.after === undefined ? { before: answer.next } : { after: answer.next };
      answer = await this.#query({ kind: "ListItems", sessionId, limit: PAGE_ITEMS, ...next });
    }
    if (answer instanceof HarnessError) throw answer;
    return answer;
  }

  async #turns(page: Partial<QueryOf<"ListTurns">>): Promise<ResultOf<"ListTurns">> {
    const answer = await this.#query({ ...page, kind: "ListTurns", sessionId: this.#session });
    if (answer instanceof HarnessError) throw answer;
    return answer;
  }
}
