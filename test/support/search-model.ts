import * as fc from "fast-check";
import type { CallId, LogId, SessionId } from "../../src/base/ids.ts";
import type { Envelope } from "../../src/protocol/events/envelope.ts";
import type { Event } from "../../src/protocol/events/events.ts";
import { isInRanges } from "../../src/session/store/expired.ts";
import { dayOf } from "../../src/session/store/log-facts.ts";
import type { EventRange, SessionWriter } from "../../src/session/store/store.ts";
import type { Rig } from "./store-rig.ts";
import { newLog } from "./store-rig.ts";

const DAY_MS = 86_400_000;

/** Pieces that texts and searches are made of: cases, compositions, scripts without spaces, two-unit characters. */
const PIECES = [
  ...["foo", "Foo", "bar", "o", "x\0y", "Straße", "e\u0301te", "É", "\u0301", "ΣΊΣ", "σίς", "İ", "ı", "K"],
  ...["東京", "京", "🦀", " ", " ", "\n", "\u3000"],
] as const;

/** A value in one of five cases. */
function sometimes<Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> {
  return fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });
}

const piece = fc.constantFrom(...PIECES);
const text = fc.array(piece, { maxLength: 10 }).map((pieces) => pieces.join(""));
const cuts = fc.array(fc.nat(12), { minLength: 1, maxLength: 6 });

interface Said {
  readonly kind: "text" | "thinking";
  readonly text: string;
  /** Positions, in characters, at which the text is split into deltas. */
  readonly cuts: readonly number[];
}

interface Called {
  readonly kind: "call";
  readonly tool: string;
  readonly path: string;
  readonly input: string;
  readonly output: string;
  /** Texts of a sub-agent in it. */
  readonly inner: readonly Said[];
}

const said: fc.Arbitrary<Said> = fc.record({ kind: fc.constantFrom("text", "thinking"), text, cuts });
const called: fc.Arbitrary<Called> = fc.record({
  kind: fc.constant("call"),
  tool: fc.constantFrom("Bash", "Read", "mcp__x__y"),
  path: fc.constantFrom("src/a.ts", "src/Über b.ts", ""),
  input: text,
  output: text,
  inner: fc.array(said, { maxLength: 2 }),
});

/** Something that happens to one of the logs. */
const step = fc.record({
  log: fc.nat(2),
  prompt: text,
  parts: fc.array(fc.oneof(said, called), { minLength: 1, maxLength: 4 }),
  /** Events after which a day passes. */
  days: fc.array(fc.nat(12), { maxLength: 2 }),
  /** The process ends after so many events of the turn. */
  killedAfter: sometimes(fc.nat(12)),
  /** A call that was open then gets its result before the next turn. */
  resultLater: fc.boolean(),
  /** The process that writes the log stays. */
  staysOpen: fc.boolean(),
  /** A search comes between, and may index. */
  search: fc.boolean(),
  /** Content of all logs from before so many days is destroyed. */
  keepsDays: sometimes(fc.nat(2)),
});
export type SearchStep = typeof step extends fc.Arbitrary<infer Step> ? Step : never;
export const searchSteps = fc.array(step, { minLength: 1, maxLength: 8 });

export const searchedFor = fc.record({
  text: fc.oneof(
    { weight: 3, arbitrary: piece },
    { weight: 2, arbitrary: fc.tuple(piece, piece).map((pieces) => pieces.join("")) },
    { weight: 2, arbitrary: fc.tuple(piece, piece).map((pieces) => pieces.join(" ")) },
    { weight: 1, arbitrary: fc.constantFrom("fo", "oo", "STRASS", "étE", "σΊ", "k", "京東") },
  ),
  tool: sometimes(fc.constantFrom("Bash", "Read")),
  file: sometimes(fc.constantFrom("SRC/", "über b", ".ts")),
  limit: fc.integer({ min: 1, max: 4 }),
});
export type SearchedFor = typeof searchedFor extends fc.Arbitrary<infer Search> ? Search : never;

interface ModelItem {
  readonly logId: LogId;
  readonly event: number;
  readonly kind: string;
  readonly tool?: string;
  readonly path?: string;
  readonly glue: "" | "\n";
  readonly pieces: { readonly id: number; readonly text: string }[];
}

interface ModelLog {
  readonly logId: LogId;
  session: SessionId;
  writer: SessionWriter | undefined;
  last: number;
  turn: number;
  open: { readonly callId: CallId; readonly item: ModelItem; readonly output: string } | undefined;
}

/** Logs that are written to a store, with the items that they have: what a search must find, told without a fold. */
export class SearchModel {
  readonly #rig: Rig;
  readonly #logs: ModelLog[] = [];
  readonly #items: ModelItem[] = [];

  constructor(rig: Rig) {
    this.#rig = rig;
  }

  async take(taken: SearchStep): Promise<void> {
    const log = await this.#opened(taken.log);
    const events: (Event & { readonly parentCall?: CallId })[] = [];
    const add = (event: Event, parentCall?: CallId): number => {
      events.push({ ...event, ...(parentCall === undefined ? {} : { parentCall }) });
      return log.last + events.length;
    };
    const limit = taken.killedAfter ?? Number.POSITIVE_INFINITY;
    if (log.open !== undefined && taken.resultLater) {
      const { callId, item, output } = log.open;
      item.pieces.push({ id: add(resultOf(callId, output)), text: output });
    }
    log.open = undefined;
    const start = events.length;
    const isAlive = () => events.length - start < limit;
    log.turn += 1;
    const originator = this.#rig.world.ids.next("cli");
    const content = [{ type: "text" as const, text: taken.prompt }];
    const id = add({ kind: "TurnStarted", payload: { turn: log.turn, originator, content } });
    this.#item(log, { event: id, kind: "prompt", glue: "\n" }, [{ id, text: taken.prompt }]);
    for (const part of taken.parts) {
      if (!isAlive()) break;
      if (part.kind !== "call") this.#say(log, part, { add, isAlive });
      else this.#call(log, part, { add, isAlive });
    }
    if (isAlive()) add({ kind: "TurnEnded", payload: { turn: log.turn, reason: "complete" } });
    await this.#write(log, events, taken.days);
    if (taken.staysOpen) return;
    await log.writer?.[Symbol.asyncDispose]();
    log.writer = undefined;
  }

  async expire(keepsDays: number): Promise<void> {
    const day = dayOf(new Date(this.#rig.world.clock.now() - keepsDays * DAY_MS).toISOString());
    for (const { logId } of this.#logs) await this.#rig.store.expire(logId, day);
  }

  async close(): Promise<void> {
    for (const { writer } of this.#logs) await writer?.[Symbol.asyncDispose]();
  }

  /** Returns what a search must find, each as its log and event, in order. */
  async expected({ text: words, tool, file }: SearchedFor): Promise<readonly string[]> {
    const expired = new Map<LogId, readonly EventRange[]>();
    for (const { logId } of this.#logs) expired.set(logId, await this.#rig.store.expired(logId));
    return this.#items
      .filter((item) => {
        const isGone = (event: number) => isInRanges(event, expired.get(item.logId) ?? []);
        const pieces = item.pieces.filter((piece) => !isGone(piece.id));
        const joined = pieces.map((piece) => piece.text).join(item.glue);
        if (tool !== undefined && item.tool !== tool) return false;
        if (joined === "" && (item.tool === undefined || isGone(item.event))) return false;
        if (file !== undefined && (isGone(item.event) || !holds(item.path ?? "", file))) return false;
        return words
          .normalize("NFC")
          .split(/\s+/)
          .every((word) => holds(joined, word));
      })
      .sort((a, b) => (a.logId === b.logId ? b.event - a.event : a.logId < b.logId ? 1 : -1))
      .map(({ logId, event, kind }) => `${logId} ${event} ${kind}`);
  }

  async #opened(at: number): Promise<ModelLog> {
    const { store, world, me } = this.#rig;
    const known = this.#logs[Math.min(at, this.#logs.length)];
    if (known === undefined) {
      const start = newLog(world);
      const writer = await store.create(start, me);
      const { logId, session } = start;
      const log: ModelLog = { logId, session, writer, last: 0, turn: 0, open: undefined };
      this.#logs.push(log);
      return log;
    }
    if (known.writer === undefined) {
      known.session = world.ids.next("sess");
      known.writer = await store.open(known.logId, known.session, me);
    }
    return known;
  }

  #say(
    log: ModelLog,
    { kind, text: whole, cuts: at }: Said,
    { add, isAlive }: Adding,
    parentCall?: CallId,
  ): void {
    const pieces: { id: number; text: string }[] = [];
    for (const piece of splitAt(whole, at)) {
      if (!isAlive()) break;
      pieces.push({ id: add(deltaOf(kind, piece), parentCall), text: piece });
      // Events of clients come between the pieces of a text.
      if (pieces.length === 1) add({ kind: "RuleRevoked", payload: { rule: "x" } });
    }
    const [first] = pieces;
    if (first !== undefined) this.#item(log, { event: first.id, kind, glue: "" }, pieces);
    if (isAlive()) add(COST, parentCall);
  }

  #call(log: ModelLog, { tool, path, input, output, inner }: Called, { add, isAlive }: Adding): void {
    const callId = this.#rig.world.ids.next("call");
    const args = { file_path: path, deep: [{ input }] };
    const payload = { callId, tool, args, mutating: false };
    const id = add({ kind: "ToolCallStarted", payload });
    const item = this.#item(log, { event: id, kind: "call", tool, path, glue: "\n" }, [
      { id, text: `${path}\n${input}` },
    ]);
    for (const each of inner) this.#say(log, each, { add, isAlive }, callId);
    if (isAlive()) item.pieces.push({ id: add(resultOf(callId, output)), text: output });
    else log.open = { callId, item, output };
  }

  #item(
    { logId }: ModelLog,
    facts: Omit<ModelItem, "logId" | "pieces">,
    pieces: ModelItem["pieces"],
  ): ModelItem {
    const item = { ...facts, logId, pieces };
    this.#items.push(item);
    return item;
  }

  async #write(
    log: ModelLog,
    events: readonly (Event & { readonly parentCall?: CallId })[],
    days: readonly number[],
  ): Promise<void> {
    let batch: Envelope[] = [];
    const flush = async () => {
      await log.writer?.append({ events: batch }, "process");
      batch = [];
    };
    for (const [at, event] of events.entries()) {
      log.last += 1;
      const ts = new Date(this.#rig.world.clock.now()).toISOString();
      batch.push({ ...event, id: log.last, session: log.session, ts } as Envelope);
      if (!days.includes(at)) continue;
      await flush();
      await this.#rig.world.clock.advance(DAY_MS);
    }
    await flush();
  }
}

interface Adding {
  readonly add: (event: Event, parentCall?: CallId) => number;
  readonly isAlive: () => boolean;
}

const COST = {
  kind: "CostIncremented",
  payload: { provider: "p", model: "m", inputTokens: 1, outputTokens: 1, usd: null },
} as const satisfies Event;

function deltaOf(kind: Said["kind"], piece: string): Event {
  return kind === "text"
    ? { kind: "TextDelta", payload: { text: piece } }
    : { kind: "ThinkingDelta", payload: { block: { type: "thinking", text: piece } } };
}

function resultOf(callId: CallId, output: string): Event {
  return { kind: "ToolResult", payload: { callId, content: [{ type: "text", text: output }] } };
}

function splitAt(whole: string, at: readonly number[]): readonly string[] {
  const characters = [...whole];
  const ends = [...new Set([...at.filter((each) => each < characters.length), characters.length])].sort(
    (a, b) => a - b,
  );
  let start = 0;
  return ends.map((end) => {
    const piece = characters.slice(start, end).join("");
    start = end;
    return piece;
  });
}

/** Matches as the engine's regular expressions do without case, which is simple folding. */
function holds(whole: string, word: string): boolean {
  const escaped = word.normalize("NFC").replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  return new RegExp(escaped, "iu").test(whole.normalize("NFC"));
}
