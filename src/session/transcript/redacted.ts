import { isObject } from "../../base/json.ts";
import type { Envelope, EnvelopeOf } from "../../protocol/envelope.ts";
import type { Redactor } from "../../trust/redact.ts";

/** Text that is looked at in one piece, in UTF-16 units: what a run of pieces may hold at once. */
const RUN_UNITS_MAX = 4_194_304;

const THINKING = "«redacted:thinking»";

type Piece = EnvelopeOf<"TextDelta"> | EnvelopeOf<"ToolCallProgress">;

/**
 * The events without the secrets that are known now (SES-05): what leaves in an export, and what comes in with one, may
 * be from a time or a machine that knew others.
 *
 * Text in pieces is looked at as a whole. Where it holds a secret, all of what is left of it stands in the first piece,
 * and the others are empty: each event keeps its place.
 */
export async function* redactedEvents(
  events: AsyncIterable<Envelope>,
  redactor: Redactor,
): AsyncGenerator<Envelope> {
  let run: Piece[] = [];
  let units = 0;
  for await (const event of events) {
    const piece = isPiece(event) ? event : undefined;
    const [first] = run;
    if (first !== undefined && (piece === undefined || !isSameText(first, piece) || units > RUN_UNITS_MAX)) {
      yield* redactedRun(run, redactor);
      run = [];
      units = 0;
    }
    if (piece === undefined) {
      yield redactedEvent(event, redactor);
    } else {
      run.push(piece);
      units += textOf(piece).length;
    }
  }
  yield* redactedRun(run, redactor);
}

function isPiece(event: Envelope): event is Piece {
  return event.kind === "TextDelta" || event.kind === "ToolCallProgress";
}

function isSameText(one: Piece, other: Piece): boolean {
  if (one.kind !== other.kind || one.parentCall !== other.parentCall || one.session !== other.session)
    return false;
  return callOf(one) === callOf(other);
}

function callOf(piece: Piece): string {
  return piece.kind === "ToolCallProgress" ? piece.payload.callId : "";
}

function textOf(piece: Piece): string {
  return piece.kind === "TextDelta" ? piece.payload.text : piece.payload.partial;
}

function withText(piece: Piece, text: string): Piece {
  return piece.kind === "TextDelta"
    ? { ...piece, payload: { ...piece.payload, text } }
    : { ...piece, payload: { ...piece.payload, partial: text } };
}

function redactedRun(run: readonly Piece[], redactor: Redactor): readonly Piece[] {
  const whole = run.map(textOf).join("");
  const redacted = redactor.text(whole);
  if (redacted === whole) return run;
  return run.map((piece, at) => withText(piece, at === 0 ? redacted : ""));
}

function redactedEvent(event: Envelope, redactor: Redactor): Envelope {
  const payload = redactor.json(event.payload);
  if (payload === event.payload) return event;
  const isThinking = event.kind === "ThinkingDelta" && isObject(event.payload.block);
  // Reasoning is echoed as it came or not at all: it cannot be changed in part.
  return { ...event, payload: isThinking ? { block: THINKING } : payload } as Envelope;
}
