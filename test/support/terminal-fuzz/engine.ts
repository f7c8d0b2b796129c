import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { BoundedQueue } from "../../../src/base/async/queue.ts";
import { HarnessError } from "../../../src/base/errors.ts";
import type { Id, LogId, SessionId } from "../../../src/base/ids.ts";
import type { JsonObject } from "../../../src/base/json.ts";
import { isObject, objectAt, parseJson } from "../../../src/base/json.ts";
import type { OpenSession, WhichSession } from "../../../src/client/terminal/options.ts";
import type { Accepted, Command } from "../../../src/protocol/commands/commands.ts";
import { SLASH_COMMANDS } from "../../../src/protocol/commands/own-commands.ts";
import type { Connection, NewsOptions, SubscribeOptions } from "../../../src/protocol/connection.ts";
import type { AttachedFile, AttachmentInfo } from "../../../src/protocol/content.ts";
import type { Envelope } from "../../../src/protocol/events/envelope.ts";
import type { Event } from "../../../src/protocol/events/events.ts";
import type { NewsItem } from "../../../src/protocol/events/news.ts";
import type { Handshake } from "../../../src/protocol/handshake.ts";
import type { QueryKind } from "../../../src/protocol/kinds.ts";
import type { QueryOf, ResultOf } from "../../../src/protocol/queries/queries.ts";
import { fitting } from "../arbitrary.ts";
import { CLIENT, fakeId } from "../fake-connection.ts";
import { ROOT } from "../source.ts";
import { hostileText } from "./hostile-text.ts";
import { longLog } from "./long-log.ts";
import type { PlayedClock } from "./played-clock.ts";

/** Treatment of commands and queries by an engine. `lost`: it is away, and every stream of it breaks. */
export type EngineMood = "takes" | "refuses" | "slow" | "silent" | "lost";

const QUEUE_EVENTS_MAX = 100_000;
const SLOW_MS = 400;
/** Answers of each kind, made once from the published schemas. */
const ANSWERS_EACH = 8;
const STORED: readonly SessionId[] = [fakeId("sess", 91), fakeId("sess", 92)];

const REFUSAL = new HarnessError("UsageInvalid", { problem: "the engine of this sequence refuses" });
const AWAY = new HarnessError("UsageInvalid", { problem: "the engine of this sequence is away" });

const pools = new Map<string, readonly unknown[]>();

/** Returns one of the answers that fit the published schema of a query or of the result of a command. */
function answerOf(
  file: string,
  table: string,
  kind: string,
  { pick, isHostile }: { readonly pick: number; readonly isHostile: boolean },
): unknown {
  const key = `${file} ${kind} ${isHostile}`;
  let pool = pools.get(key);
  if (pool === undefined) {
    const text = readFileSync(join(ROOT, "docs/protocol", file), "utf8");
    const found = objectAt(objectAt((parseJson(text)?.value ?? {}) as JsonObject, table) ?? {}, kind);
    const schema = file.startsWith("queries") ? objectAt(found ?? {}, "result") : found;
    pool =
      schema === undefined
        ? []
        : fc.sample(isHostile ? fitting(schema, hostileText) : fitting(schema), {
            seed: 7,
            numRuns: ANSWERS_EACH,
          });
    pools.set(key, pool);
  }
  return pool.length === 0 ? undefined : structuredClone(pool[pick % pool.length]);
}

const HOSTILE_TEXTS = 40;
let hostilePool: readonly string[] | undefined;
let newsPool: readonly NewsItem[] | undefined;

function news(): readonly NewsItem[] {
  if (newsPool !== undefined) return newsPool;
  const text = readFileSync(join(ROOT, "docs/protocol/news.schema.json"), "utf8");
  const schema = (parseJson(text)?.value ?? {}) as JsonObject;
  newsPool = fc.sample(fitting(schema, hostileText), { seed: 7, numRuns: ANSWERS_EACH }) as NewsItem[];
  return newsPool;
}

export interface FuzzEngineOptions {
  readonly clock: PlayedClock;
  /** True: the stored sessions have long logs, whose beginning is read back. */
  readonly isLong: boolean;
  /** True: texts of answers are hostile. */
  readonly isHostile: boolean;
  readonly counts: EngineCounts;
}

/** Counts of what an engine was asked for. */
export interface EngineCounts {
  attached: number;
  pages: number;
  opened: number;
}

interface Stored {
  readonly log: Envelope[];
  turn: number;
  isInTurn: boolean;
}

/** An input that the engine has taken, with its text. */
interface TakenInput {
  readonly text: string;
  readonly session: SessionId;
}

/**
 * An engine in this process: it keeps logs and drafts as a real one does, publishes what commands cause, and answers
 * queries with anything that fits the protocol.
 */
export class FuzzEngine implements Connection {
  readonly clientId = CLIENT;
  readonly identityClass = "human";
  mood: EngineMood = "takes";
  /** Picks among the answers that fit. */
  pick = 0;
  /** Called with each command, before it is taken or refused. */
  heard: (command: Command) => void = () => undefined;
  /** Texts of accepted commands that stay with the engine. */
  readonly taken = new Map<string, TakenInput>();
  /** Drafts that sessions keep, by session and reader. */
  readonly drafts = new Map<string, string>();
  readonly #clock: PlayedClock;
  readonly #isHostile: boolean;
  readonly #counts: EngineCounts;
  readonly #sessions = new Map<SessionId, Stored>();
  readonly #open = new Set<BoundedQueue<Envelope>>();
  readonly #readers = new Map<BoundedQueue<Envelope>, SessionId>();
  #shown: SessionId = STORED[0] ?? fakeId("sess", 91);
  #ids = 100;

  constructor({ clock, isLong, isHostile, counts }: FuzzEngineOptions) {
    this.#clock = clock;
    this.#counts = counts;
    this.#isHostile = isHostile;
    if (!isLong) return;
    for (const session of STORED) {
      const log = [...longLog(session)];
      this.#sessions.set(session, { log, turn: log.length, isInTurn: false });
    }
  }

  /** Subscriptions that are open. */
  get subscriptions(): number {
    return this.#open.size;
  }

  /** True once every event was taken. */
  get isRead(): boolean {
    for (const queue of this.#open) if (queue.size > 0) return false;
    return true;
  }

  handshake(): Promise<Handshake> {
    return Promise.reject(new Error("nobody shakes hands here"));
  }

  async open(which: WhichSession): Promise<OpenSession> {
    await this.#weather();
    this.#counts.opened += 1;
    this.#shown = which.kind === "new" ? this.#next("sess") : which.info.session;
    const { named } = this;
    return which.kind === "new" ? { ...named, model: which.model ?? named.model, history: false } : named;
  }

  /** The session that is shown, as the command line may name it. */
  get named(): OpenSession {
    return {
      session: this.#shown,
      log: `log_${this.#shown.slice("sess_".length)}` as LogId, // one run for each log
      profile: this.#text("default"),
      model: this.#text("mock:one"),
      history: true,
      past: this.#stored(this.#shown).log.length,
      notices: this.pick % 5 === 0 ? [this.#text("A sentence at the start.")] : [],
    };
  }

  async send(command: Command): Promise<Accepted> {
    this.heard(command);
    await this.#weather();
    const more = this.#carryOut(command);
    const result = answerOf("command-results.schema.json", "results", command.kind, this.#answers);
    return { ...more, ...(isObject(result) ? { result } : {}) };
  }

  async query<Kind extends QueryKind>(query: QueryOf<Kind>): Promise<ResultOf<Kind>> {
    await this.#weather();
    return this.#answer(query as QueryOf<QueryKind>) as ResultOf<Kind>;
  }

  async attach(_session: SessionId, { name, bytes }: AttachedFile): Promise<AttachmentInfo> {
    await this.#weather();
    if (this.pick % 4 === 3) throw REFUSAL;
    this.#counts.attached += 1;
    return { attachment: this.#next("att"), name, media_type: "image/png", bytes: bytes.length };
  }

  async *subscribe(session: SessionId, { since, signal }: SubscribeOptions): AsyncGenerator<Envelope> {
    if (this.mood === "lost") throw new Error("the stream has broken");
    if ([...this.#readers.values()].includes(session)) this.#counts.pages += 1;
    using queue = new BoundedQueue<Envelope>(QUEUE_EVENTS_MAX);
    if (since !== undefined) for (const old of this.#stored(session).log) if (old.id > since) queue.push(old);
    this.#open.add(queue);
    this.#readers.set(queue, session);
    const end = () => queue.end();
    signal.addEventListener("abort", end);
    try {
      yield* queue;
    } finally {
      this.#open.delete(queue);
      this.#readers.delete(queue);
      signal.removeEventListener("abort", end);
    }
  }

  async *news({ signal }: NewsOptions): AsyncGenerator<NewsItem> {
    yield* news();
    await new Promise<void>((resolve) => {
      signal.addEventListener("abort", () => resolve());
      if (signal.aborted) resolve();
    });
  }

  /** Writes an event into the log of the session that is shown. */
  publish(event: Event, frame: Partial<Pick<Envelope, "parentCall" | "originator">> = {}): void {
    this.#write(this.#shown, event, frame);
  }

  /** Breaks every open stream of events. */
  breakOff(): void {
    for (const queue of this.#open) queue.fail(new Error("the stream has broken"));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const queue of this.#open) queue.end();
  }

  #write(session: SessionId, event: Event, frame: Partial<Envelope> = {}): void {
    const stored = this.#stored(session);
    const ts = new Date(this.#clock.now()).toISOString();
    const id = stored.log.length + 1;
    const gap = event.kind === "StreamGap" ? { payload: { ...event.payload, from: id, to: id } } : {};
    const envelope = { session, ts, ...frame, ...event, ...gap, id } as Envelope;
    stored.log.push(envelope);
    if (frame.parentCall === undefined && event.kind === "TurnStarted") stored.isInTurn = true;
    if (frame.parentCall === undefined && event.kind === "TurnEnded") stored.isInTurn = false;
    for (const [queue, reader] of this.#readers) if (reader === session) queue.push(envelope);
  }

  #carryOut(command: Command): Accepted {
    switch (command.kind) {
      case "SendInput":
        return this.#takeInput(command);
      case "CancelTurn": {
        const { turn, isInTurn } = this.#stored(command.sessionId);
        if (isInTurn)
          this.#write(command.sessionId, {
            kind: "TurnEnded",
            payload: { turn, reason: "cancelled", rounds: 1 },
          });
        return {};
      }
      case "WithdrawInput":
        this.taken.delete(command.inputId);
        this.#write(command.sessionId, { kind: "InputWithdrawn", payload: { inputId: command.inputId } });
        return {};
      case "AnswerPermission": {
        const { sessionId, callId, decision, scope } = command;
        const payload = { callId, decision, scope, counted: true, rule: "a" };
        this.#write(sessionId, { kind: "PermissionAnswered", payload } as Event);
        return {};
      }
      case "Answer":
        this.#write(command.sessionId, {
          kind: "Answered",
          payload: { askId: command.askId, answer: command.answer },
        } as Event);
        return {};
      case "SetDraft":
        this.drafts.set(draftPlace(command), command.text);
        return {};
      default:
        this.taken.set(this.#next("inp"), { text: JSON.stringify(command), session: this.#shown });
        return {};
    }
  }

  #takeInput({ sessionId, content }: Extract<Command, { kind: "SendInput" }>): Accepted {
    const text = content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
    const stored = this.#stored(sessionId);
    const inputId = this.#next("inp");
    this.taken.set(inputId, { text, session: sessionId });
    if (stored.isInTurn) {
      this.#write(sessionId, {
        kind: "InputQueued",
        payload: { inputId, content, delivery: "queue", originator: CLIENT },
      } as Event);
      return { inputId };
    }
    stored.turn += 1;
    const payload = { turn: stored.turn, originator: CLIENT, content, inputId };
    this.#write(sessionId, { kind: "TurnStarted", payload } as Event, { originator: CLIENT });
    return { inputId };
  }

  #answer(query: QueryOf<QueryKind>): unknown {
    const any = lastPage(answerOf("queries.schema.json", "queries", query.kind, this.#answers));
    switch (query.kind) {
      case "GetDraft":
        return { text: this.drafts.get(draftPlace(query as QueryOf<"GetDraft">)) ?? "" };
      case "ListSlashCommands":
        return this.pick % 3 === 0 ? any : { slash_commands: SLASH_COMMANDS };
      case "GetSession":
        return isObject(any) ? wholeInfo(any, this.pick) : any;
      case "ListSessions": {
        const [first] = isObject(any) && Array.isArray(any["sessions"]) ? (any["sessions"] as object[]) : [];
        const sessions = first === undefined ? [] : STORED.map((session) => ({ ...first, session }));
        return { sessions };
      }
      case "Complete":
        return completed(query as QueryOf<"Complete">);
      default:
        return any;
    }
  }

  /** Waits as long as the mood lets an answer wait. @throws HarnessError if it refuses. */
  async #weather(): Promise<void> {
    const { mood } = this;
    if (mood === "refuses") throw REFUSAL;
    if (mood === "lost") throw AWAY;
    if (mood === "silent") await new Promise<never>(() => undefined);
    if (mood === "slow")
      await new Promise<void>((resolve) => {
        this.#clock.foreignTimer(SLOW_MS, resolve);
      });
  }

  #stored(session: SessionId): Stored {
    const known = this.#sessions.get(session);
    if (known !== undefined) return known;
    const fresh: Stored = { log: [], turn: 0, isInTurn: false };
    this.#sessions.set(session, fresh);
    return fresh;
  }

  get #answers(): { readonly pick: number; readonly isHostile: boolean } {
    return { pick: this.pick, isHostile: this.#isHostile };
  }

  /** Returns a text of the engine: in a hostile sequence one of those that are. */
  #text(harmless: string): string {
    if (!this.#isHostile) return harmless;
    hostilePool ??= fc.sample(hostileText, { seed: 7, numRuns: HOSTILE_TEXTS });
    return hostilePool[(this.pick + harmless.length) % HOSTILE_TEXTS] ?? "";
  }

  #next<Prefix extends "sess" | "inp" | "att">(prefix: Prefix): Id<Prefix> {
    this.#ids += 1;
    return fakeId(prefix, this.#ids);
  }
}

/** Returns facts of a session. A question that has waited since an early event has the log read from there on. */
function wholeInfo(info: object, pick: number): object {
  const { asked_since: _asked, queued_since: _queued, ...rest } = info as Record<string, unknown>;
  return pick === 5 ? info : rest;
}

/** Returns names that begin with what is typed behind the last at sign or blank. */
function completed({ text, cursor }: QueryOf<"Complete">): ResultOf<"Complete"> {
  const from = Math.max(text.lastIndexOf("@", cursor - 1), text.lastIndexOf(" ", cursor - 1) + 1, 0);
  const typed = text.slice(from, cursor);
  const items = ["one.ts", "two/", "\u001b[31mred"].map((name, at) => ({
    insert: `${typed}${name}`,
    label: `${typed}${name}`,
    kind: at === 1 ? ("folder" as const) : ("file" as const),
  }));
  return { from, to: cursor, items, more: false };
}

/** Returns the place of a draft: its session and reader. */
function draftPlace({
  sessionId,
  reader,
}: {
  readonly sessionId: SessionId;
  readonly reader: string;
}): string {
  return `${sessionId} ${reader}`;
}

/** Returns an answer without a next page: the same page again and again has no end. */
function lastPage(answer: unknown): unknown {
  if (!isObject(answer)) return answer;
  const { next: _next, cursor: _cursor, ...rest } = answer;
  return "more" in rest ? { ...rest, more: false } : rest;
}
