import { HarnessError, hasReason } from "../../base/errors.ts";
import type { CallId, EventSeq, LogId, SessionId } from "../../base/ids.ts";
import { isObject } from "../../base/json.ts";
import { decode, encode } from "../../base/text/text.ts";
import { EFFORT_WORDS } from "../../protocol/effort.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import type { Event, PayloadOf } from "../../protocol/events/events.ts";
import { parseThinkingPiece } from "../../protocol/events/thinking-piece.ts";
import { isEventKind, withoutContent } from "../store/expired.ts";
import { UNREADABLE } from "../store/log-facts.ts";
import type { LogNumbers } from "../store/notes/log-numbers.ts";
import type { SealScope } from "../store/seal.ts";
import { SealBroken } from "../store/seal.ts";
import type { BranchPoint, Holder, Intent, LogInfo, LogName, StoredMessage } from "../store/store.ts";
import type { Row } from "./connection.ts";
import type { DataKeys } from "./keys/data-keys.ts";
import type { TitleCache } from "./notes/title-cache.ts";

const CONTENT_COLUMNS = {
  events: "content",
  messages: "content",
  tool_call_intents: "summary",
  logs: "title",
  notes: "content",
  search_segments: "filter",
} as const satisfies Readonly<Record<SealScope["table"], string>>;

/** Columns in the clear beside the content of an event. */
export interface EventFacts {
  readonly id: EventSeq;
  readonly kind: string;
  readonly session: string;
  readonly ts: string;
  readonly originator?: string | undefined;
  readonly parentCall?: string | undefined;
}

export function eventScope(log: LogId, facts: EventFacts): SealScope {
  const { id, kind, session, ts, originator, parentCall } = facts;
  return { log, table: "events", row: id, kind, also: [session, ts, originator, parentCall] };
}

/** Reads them from a row that may hold anything. */
export function eventFactsOf(row: Row): EventFacts {
  return {
    id: Number(row["id"]),
    kind: String(row["kind"]),
    session: String(row["session"]),
    ts: String(row["ts"]),
    originator: optionalText(row, "originator"),
    parentCall: optionalText(row, "parent_call"),
  };
}

export interface MessageFacts {
  readonly role: string;
  readonly boundary: boolean;
  readonly after: EventSeq;
  readonly turn: number;
}

export function messageScope(log: LogId, row: number, facts: MessageFacts): SealScope {
  const { role, boundary, after, turn } = facts;
  return { log, table: "messages", row, kind: boundary ? `${role} boundary` : role, also: [after, turn] };
}

export function intentScope(
  log: LogId,
  { callId, tool, mutating }: { readonly callId: string; readonly tool: string; readonly mutating: boolean },
): SealScope {
  return { log, table: "tool_call_intents", row: callId, kind: tool, also: [mutating] };
}

export function titleScope(log: LogId): SealScope {
  return { log, table: "logs", row: "title", kind: "title" };
}

export interface NoteFacts {
  readonly kind: NoteKind;
  /** Empty for the title of a log. */
  readonly reader: string;
  readonly ts: string;
}

export type NoteKind = "draft" | "title";

export function noteScope(log: LogId, { kind, reader, ts }: NoteFacts): SealScope {
  return { log, table: "notes", row: reader, kind, also: [ts] };
}

/** Returns a value as the bytes of a content column. */
export function packValue(value: unknown): Uint8Array {
  return encode(JSON.stringify(value));
}

/**
 * Reads rows of one database file. A row with an unexpected value throws a StoreCorrupt that names it; the rows around
 * it stay readable.
 */
export class RowReader {
  readonly keys: DataKeys;
  readonly #path: string;
  readonly #titles: TitleCache | undefined;

  constructor(path: string, keys: DataKeys, titles?: TitleCache) {
    this.#path = path;
    this.keys = keys;
    this.#titles = titles;
  }

  event(logId: LogId, row: Row): Envelope {
    return this.#event(logId, row, (place, facts) => this.#content(row, place, eventScope(logId, facts)));
  }

  /** Returns an expired event, made of what is kept. */
  expiredEvent(logId: LogId, row: Row): Envelope {
    return this.#event(logId, row, (place, { kind }) => {
      const meta = optionalText(row, "meta");
      if (meta !== undefined) return this.#parsed(meta, place, "meta");
      if (!isEventKind(kind)) throw this.#damaged(place, "its kind is unknown");
      return withoutContent({ kind, payload: {} } as Event);
    });
  }

  #event(logId: LogId, row: Row, payloadOf: (place: string, facts: EventFacts) => unknown): Envelope {
    const id = this.integer(row, "id", logId);
    const place = `event ${id} of ${logId}`;
    const originator = optionalText(row, "originator");
    const parentCall = optionalText(row, "parent_call");
    const facts: EventFacts = {
      id,
      session: this.text(row, "session", place),
      ...(originator === undefined ? {} : { originator }),
      ...(parentCall === undefined ? {} : { parentCall }),
      ts: this.text(row, "ts", place),
      kind: this.text(row, "kind", place),
    };
    const payload = payloadOf(place, facts);
    if (!isObject(payload)) throw this.#damaged(place, "its payload is not an object");
    // Written by `append`, which takes envelopes only; before protocol 0.3 thinking had two forms.
    const current =
      facts.kind === "ThinkingDelta" ? { ...payload, block: parseThinkingPiece(payload["block"]) } : payload;
    return { ...facts, payload: current } as unknown as Envelope;
  }

  message(logId: LogId, row: Row): StoredMessage {
    const place = `message ${row["seq"]} of ${logId}`;
    const role = this.text(row, "role", place);
    const boundary = row["boundary"] === 1n;
    const seq = this.integer(row, "seq", place);
    const after = this.integer(row, "after", place);
    const turn = this.integer(row, "turn", place);
    const content = this.#content(row, place, messageScope(logId, seq, { role, boundary, after, turn }));
    if (!Array.isArray(content)) throw this.#damaged(place, "its content is not a list");
    if (role !== "user" && role !== "assistant") throw this.#damaged(place, "its role is unknown");
    return {
      after,
      turn,
      message: { role, content },
      ...(boundary ? { boundary: true } : {}),
    };
  }

  intent(logId: LogId, row: Row): Intent {
    const callId = this.text(row, "call_id", `a call of ${logId}`);
    const place = `call ${callId} of ${logId}`;
    const tool = this.text(row, "tool_name", place);
    const mutating = row["is_mutating"] === 1n;
    const content = this.#content(row, place, intentScope(logId, { callId, tool, mutating }));
    const [argsHash, summary] = Array.isArray(content) ? content : [];
    if (typeof summary !== "string" || typeof argsHash !== "string")
      throw this.#damaged(place, "its summary is not a text");
    return {
      callId: callId as CallId,
      tool,
      argsHash,
      summary,
      mutating,
      startedAt: this.text(row, "started_at", place),
    };
  }

  cost(logId: LogId, row: Row): PayloadOf<"CostIncremented"> {
    const place = `a cost of ${logId}`;
    const { usd, turn } = row;
    return {
      provider: this.text(row, "provider", place),
      model: this.text(row, "model", place),
      inputTokens: this.integer(row, "input_tokens", place),
      outputTokens: this.integer(row, "output_tokens", place),
      cacheReadTokens: this.integer(row, "cache_read_tokens", place),
      cacheWriteTokens: this.integer(row, "cache_write_tokens", place),
      usd: typeof usd === "number" ? usd : null,
      ...(turn === null ? {} : { turn: this.integer(row, "turn", place) }),
    };
  }

  /**
   * Reads the facts of a log. If some of them are damaged the log is listed all the same, so that its readable part can
   * be found: «unreadable» stands for a text, 0 for a number.
   */
  log(row: Row, heldBy: Holder | undefined): LogInfo {
    const logId = this.text(row, "log_id", "a log") as LogId;
    const oldestDay = dayIn(row, "oldest_day");
    const [lastEvent, reserved] = [countIn(row, "last_event"), countIn(row, "reserved")];
    const text = (column: string) => optionalText(row, column) ?? UNREADABLE;
    const effort = EFFORT_WORDS.find((each) => each === optionalText(row, "effort"));
    return {
      logId,
      session: (optionalText(row, "session") ?? logId) as SessionId,
      workingDir: text("working_dir"),
      profile: text("profile"),
      model: text("model"),
      ...(effort === undefined ? {} : { effort }),
      createdAt: text("created_at"),
      updatedAt: text("updated_at"),
      lastEvent,
      ...(reserved > lastEvent ? { reserved } : {}),
      turns: countIn(row, "turns"),
      ...this.#titleOrMark(logId, row),
      ...(heldBy === undefined ? {} : { heldBy }),
      pinned: row["pinned"] === 1n,
      interrupted: row["turn_open"] === 1n,
      archived: row["archived"] === 1n,
      numbers: numbersIn(row),
      ...branchOf(row),
      ...(oldestDay === undefined ? {} : { oldestDay }),
    };
  }

  /** Reads the facts of a log that lists are filtered by, with the same marks. */
  logName(row: Row, heldBy: Holder | undefined): LogName {
    const logId = this.text(row, "log_id", "a log") as LogId;
    return {
      logId,
      session: (optionalText(row, "session") ?? logId) as SessionId,
      workingDir: optionalText(row, "working_dir") ?? UNREADABLE,
      updatedAt: optionalText(row, "updated_at") ?? UNREADABLE,
      interrupted: row["turn_open"] === 1n,
      ...(heldBy === undefined ? {} : { heldBy }),
      ...this.#titleOrMark(logId, row),
    };
  }

  /** Returns the title of a log; "" if it has none. */
  title(logId: LogId, row: Row): string {
    const title = row["title"] === null ? "" : this.#content(row, logId, titleScope(logId));
    if (typeof title !== "string") throw this.#damaged(logId, "its title is not a text");
    return title;
  }

  /** Reads the text of a note. */
  note(logId: LogId, row: Row): string {
    const kind = this.text(row, "kind", logId);
    const [reader, ts] = [this.text(row, "reader", logId), this.text(row, "ts", logId)];
    const place = kind === "title" ? `the title of ${logId}` : `the draft of ${reader} in ${logId}`;
    const text = this.#content(row, place, { log: logId, table: "notes", row: reader, kind, also: [ts] });
    if (typeof text !== "string") throw this.#damaged(place, "it is not a text");
    return text;
  }

  /** Reads the title that a person gave a log, else the one that was made for it. */
  #titleOrMark(logId: LogId, row: Row): Pick<LogInfo, "title" | "renamed"> {
    const { name, name_key: key_id, name_ts: ts } = row;
    try {
      if (name instanceof Uint8Array) {
        const note = { kind: "title", reader: "", ts: ts ?? null, content: name, key_id: key_id ?? null };
        return { title: this.#opened(logId, name, () => this.note(logId, note)), renamed: true };
      }
      const { title } = row;
      if (!(title instanceof Uint8Array)) return { title: this.title(logId, row) };
      return { title: this.#opened(logId, title, () => this.title(logId, row)) };
    } catch (thrown) {
      if (!hasReason(thrown, "StoreCorrupt")) throw thrown;
      return { title: UNREADABLE };
    }
  }

  #opened(logId: LogId, sealed: Uint8Array, open: () => string): string {
    return this.#titles === undefined ? open() : this.#titles.title(logId, sealed, open);
  }

  text(row: Row, column: string, place: string): string {
    const value = row[column];
    if (typeof value !== "string") throw this.#damaged(place, `its ${column} is not a text`);
    return value;
  }

  integer(row: Row, column: string, place: string): number {
    const value = Number(row[column] ?? Number.NaN);
    if (!Number.isSafeInteger(value)) throw this.#damaged(place, `its ${column} is not a number below 2^53`);
    return value;
  }

  /** Reads the JSON of a content column. Unsealed content was not written by cinch, and is not trusted. */
  #content(row: Row, place: string, scope: SealScope): unknown {
    const column = CONTENT_COLUMNS[scope.table];
    const { [column]: bytes, key_id: keyId } = row;
    if (!(bytes instanceof Uint8Array)) throw this.#damaged(place, `its ${column} is missing`);
    if (typeof keyId !== "string") throw this.#damaged(place, `its ${column} is not sealed`);
    let content: Uint8Array;
    try {
      content = this.keys.open(scope, { keyId, bytes }, scope.table === "logs" ? "once" : "again");
    } catch (thrown) {
      if (!(thrown instanceof SealBroken)) throw thrown;
      throw this.#damaged(place, `its ${column} cannot be unsealed, ${thrown.message}`, thrown);
    }
    return this.#parsed(decode(content), place, column);
  }

  #parsed(text: string, place: string, column: string): unknown {
    try {
      return JSON.parse(text);
    } catch (cause) {
      throw this.#damaged(place, `its ${column} is not JSON`, cause);
    }
  }

  #damaged(place: string, problem: string, cause?: unknown): HarnessError<"StoreCorrupt"> {
    const detail = `${place} cannot be read: ${problem}`;
    return new HarnessError("StoreCorrupt", { path: this.#path, detail }, { cause });
  }
}

function branchOf(row: Row): { readonly branchOf?: BranchPoint } {
  const { branch_of: logId, branch_at: at } = row;
  if (typeof logId !== "string" || typeof at !== "bigint") return {};
  return { branchOf: { logId: logId as LogId, at: Number(at) } };
}

function dayIn(row: Row, column: string): string | undefined {
  const day = optionalText(row, column);
  return day !== undefined && /^\d{4}-\d\d-\d\d$/.test(day) && Date.parse(day) > 0 ? day : undefined;
}

function numbersIn(row: Row): LogNumbers {
  const { usd, context_tokens: context, plan_mode: planMode } = row;
  return {
    usd: typeof usd === "number" && usd >= 0 ? usd : 0,
    unpricedCalls: countIn(row, "unpriced_calls"),
    inputTokens: countIn(row, "input_tokens"),
    outputTokens: countIn(row, "output_tokens"),
    cacheReadTokens: countIn(row, "cache_read_tokens"),
    cacheWriteTokens: countIn(row, "cache_write_tokens"),
    turnsEnded: countIn(row, "turns_ended"),
    ...(typeof context === "bigint" ? { contextTokens: countIn(row, "context_tokens") } : {}),
    ...(typeof planMode === "bigint" ? { planMode: planMode === 1n } : {}),
  };
}

/** Returns a count; 0 if the column holds none. */
function countIn(row: Row, column: string): number {
  const value = Number(row[column] ?? 0);
  return Number.isSafeInteger(value) && value >= 0 ? value : 0;
}

function optionalText(row: Row, column: string): string | undefined {
  const value = row[column];
  return typeof value === "string" ? value : undefined;
}
