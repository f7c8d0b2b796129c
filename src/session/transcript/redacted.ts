import { unreachable } from "../../base/assert.ts";
import type { Envelope, EnvelopeOf } from "../../protocol/events/envelope.ts";
import type { Redactor } from "../../safety/redact.ts";

/** Text that is searched in one piece, in UTF-16 units: the limit of a run of pieces. */
const RUN_UNITS_MAX = 4_194_304;

type Piece = EnvelopeOf<"TextDelta"> | EnvelopeOf<"ThinkingDelta"> | EnvelopeOf<"ToolCallProgress">;

/**
 * Yields the events without the secrets that are known now (SES-05): an export, or an imported file, may be from a time
 * or a machine that knew others.
 *
 * Text in pieces is searched as a whole. If it holds a secret, the redacted text stands in the first piece, and the
 * others are empty: each event keeps its place.
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
  return event.kind === "TextDelta" || event.kind === "ThinkingDelta" || event.kind === "ToolCallProgress";
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
  switch (piece.kind) {
    case "TextDelta":
      return piece.payload.text;
    case "ThinkingDelta":
      return piece.payload.block.text;
    case "ToolCallProgress":
      return piece.payload.partial;
    default:
      return unreachable(piece);
  }
}

function withText(piece: Piece, text: string): Piece {
  switch (piece.kind) {
    case "TextDelta":
      return { ...piece, payload: { ...piece.payload, text } };
    case "ThinkingDelta":
      return { ...piece, payload: { ...piece.payload, block: { ...piece.payload.block, text } } };
    case "ToolCallProgress":
      return { ...piece, payload: { ...piece.payload, partial: text } };
    default:
      return unreachable(piece);
  }
}

function redactedRun(run: readonly Piece[], redactor: Redactor): readonly Piece[] {
  const whole = run.map(textOf).join("");
  const redacted = redactor.text(whole);
  if (redacted === whole) return run;
  return run.map((piece, at) => withText(piece, at === 0 ? redacted : ""));
}

function redactedEvent(event: Envelope, redactor: Redactor): Envelope {
  const payload = redactor.json(event.payload);
  return payload === event.payload ? event : ({ ...event, payload } as Envelope);
}
