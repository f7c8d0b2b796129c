import { defined } from "../../base/defined.ts";
import { HarnessError } from "../../base/errors.ts";
import type { EventSeq, SessionId } from "../../base/ids.ts";
import { parseJson, stringAt, wellFormedJson } from "../../base/json.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import { readEnvelope } from "../../protocol/read.ts";
import { crashRange } from "../store/log-facts.ts";
import type { FileLine } from "./lines.ts";
import { LineTooLong, readFileLines } from "./lines.ts";
import type { ExportSeal } from "./seal.ts";
import { isSeal, sealOf } from "./seal.ts";
import { standInEvent } from "./stand-in.ts";

/** Events that may be missing from an incomplete file that is read. */
export const MISSING_EVENTS_MAX = 100_000;
/** Runs that the events of one file may belong to. */
export const EXPORT_SESSIONS_MAX = 100_000;
/** Problems that are reported. */
const PROBLEMS_TOLD_MAX = 20;

export interface ReadExportOptions {
  /** Name of the file in messages. */
  readonly name: string;
  /** Take what can be read, whatever else is wrong: missing events are marked in their places. */
  readonly unverified: boolean;
}

/** Result of reading a whole file. */
export interface ReadExport {
  readonly events: number;
  /** Number of events that stand in for missing ones. */
  readonly missing: number;
  readonly last: EventSeq;
  readonly seal?: ExportSeal;
  readonly sessions: readonly SessionId[];
  /** Problems with their lines; always empty if the file was verified. */
  readonly problems: readonly string[];
}

/**
 * Reads an export line by line, and yields its events with ids from 1 on, without a gap (SES-10). It holds one line at
 * a time, whatever the size of the file.
 *
 * Everything in it is untrusted: refused with their line are: a line that is no envelope of a known kind, an id out
 * of order, an impossible turn number; a run that the seal does not name, bytes that the seal does not fit, and an
 * end without a seal.
 * @throws HarnessError ExportInvalid. Events that were yielded before are then worthless.
 */
export async function* readExport(
  chunks: AsyncIterable<Uint8Array>,
  options: ReadExportOptions,
): AsyncGenerator<Envelope, ReadExport> {
  return yield* new ExportReader(options).read(chunks);
}

type Line =
  | { readonly kind: "event"; readonly event: Envelope }
  | { readonly kind: "seal"; readonly seal: ExportSeal }
  | { readonly kind: "problem"; readonly problem: string };

class ExportReader {
  readonly #options: ReadExportOptions;
  readonly #hash = new Bun.CryptoHasher("sha256");
  readonly #problems: string[] = [];
  readonly #sessions = new Set<SessionId>();
  #seal: ExportSeal | undefined;
  #events = 0;
  #missing = 0;
  #last: Envelope | undefined;
  #lastId: EventSeq = 0;
  #line = 0;

  constructor(options: ReadExportOptions) {
    this.#options = options;
  }

  async *read(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Envelope, ReadExport> {
    try {
      for await (const line of readFileLines(chunks)) yield* this.#take(line);
    } catch (thrown) {
      if (thrown instanceof LineTooLong) throw this.#invalid(thrown.line, thrown.message);
      throw thrown;
    }
    this.#checkEnd();
    return {
      events: this.#events,
      missing: this.#missing,
      last: this.#lastId,
      ...defined({ seal: this.#seal }),
      sessions: [...this.#sessions],
      problems: this.#problems,
    };
  }

  *#take(line: FileLine): Generator<Envelope> {
    this.#line = line.number;
    if (this.#seal !== undefined) {
      return this.#problem(line.number, "something stands after the seal of the export");
    }
    const read = readLine(line);
    if (read.kind === "seal") {
      this.#seal = read.seal;
      return this.#checkSeal(read.seal, line.number);
    }
    this.#hash.update(line.bytes);
    if (read.kind === "problem") return this.#problem(line.number, read.problem);
    return yield* this.#event(read.event, line.number);
  }

  *#event(event: Envelope, line: number): Generator<Envelope> {
    const expected = this.#lastId + 1;
    if (event.id < expected) {
      return this.#problem(line, `event ${event.id} stands after event ${this.#lastId}`);
    }
    if (event.kind === "TurnStarted" && event.payload.turn > event.id) {
      return this.#problem(line, `turn ${event.payload.turn} begins with event ${event.id}`);
    }
    if (event.id > expected && !isCrashGap(event, expected)) {
      this.#problem(line, `event ${event.id} follows event ${this.#lastId}: those between are missing`);
      yield* this.#standIns(expected, event);
    }
    this.#sessions.add(event.session);
    if (this.#sessions.size > EXPORT_SESSIONS_MAX) {
      throw this.#invalid(line, `its events belong to more than ${EXPORT_SESSIONS_MAX} sessions`);
    }
    this.#events += 1;
    this.#last = event;
    this.#lastId = event.id;
    yield event;
  }

  /** Every event keeps its number: others refer to it. */
  *#standIns(from: EventSeq, next: Envelope): Generator<Envelope> {
    this.#missing += next.id - from;
    if (this.#missing > MISSING_EVENTS_MAX) {
      throw this.#invalid(this.#line, `more than ${MISSING_EVENTS_MAX} events are missing`);
    }
    const { session, ts } = this.#last ?? next;
    for (let id = from; id < next.id; id++) yield standInEvent({ id, session, ts }, "EventMissing");
  }

  #checkSeal(seal: ExportSeal, line: number): void {
    if (seal.events !== this.#events || seal.to !== this.#lastId) {
      const claim = `the seal speaks of ${seal.events} events up to ${seal.to}`;
      this.#problem(line, `${claim}, and there are ${this.#events} up to ${this.#lastId}`);
    } else if (seal.sha256 !== this.#hash.digest("hex")) {
      this.#problem(line, "the lines before are not those that were exported: something was changed");
    }
    const named = new Set(seal.sessions);
    const foreign = [...this.#sessions].find((session) => !named.has(session));
    if (foreign !== undefined) this.#problem(line, `the seal does not know the session ${foreign}`);
  }

  #checkEnd(): void {
    if (this.#seal === undefined) this.#problem(this.#line, "the seal is missing: the file was cut off here");
  }

  #problem(line: number, problem: string): void {
    if (!this.#options.unverified) throw this.#invalid(line, problem);
    if (this.#problems.length < PROBLEMS_TOLD_MAX) this.#problems.push(`line ${line}: ${problem}`);
  }

  #invalid(line: number, problem: string): HarnessError<"ExportInvalid"> {
    return new HarnessError("ExportInvalid", { path: this.#options.name, line: `${line}`, problem });
  }
}

/** Returns true for the StreamGap of events that a crash took: they were never in the log. */
function isCrashGap(event: Envelope, expected: EventSeq): boolean {
  return crashRange(event)?.from === expected && event.id - expected < MISSING_EVENTS_MAX;
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

function readLine({ bytes, isWhole }: FileLine): Line {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    return { kind: "problem", problem: "it is not UTF-8" };
  }
  const parsed = parseJson(text);
  if (parsed === undefined) {
    return {
      kind: "problem",
      problem: isWhole ? "it is not JSON" : "it is not JSON: the file was cut off here",
    };
  }
  // Without its newline, the rest was never written.
  if (!isWhole) return { kind: "problem", problem: "the line does not end: the file was cut off here" };
  return envelopeOf(parsed.value);
}

function envelopeOf(value: unknown): Line {
  let event: Envelope | undefined;
  try {
    event = readEnvelope(wellFormedJson(value));
  } catch (thrown) {
    if (!(thrown instanceof HarnessError)) throw thrown;
    return { kind: "problem", problem: `it is not an event: ${thrown.fields["why"] ?? thrown.message}` };
  }
  if (event === undefined) {
    const kind = (stringAt(value, "kind") ?? "").slice(0, 64);
    return {
      kind: "problem",
      problem: `the kind ${JSON.stringify(kind)} is not known here: a newer cinch may`,
    };
  }
  if (!isSeal(event)) return { kind: "event", event };
  const seal = sealOf(event);
  if (seal === undefined) return { kind: "problem", problem: "the seal is not one" };
  return { kind: "seal", seal };
}
