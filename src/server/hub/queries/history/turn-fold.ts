import type { CallId, EventSeq } from "../../../../base/ids.ts";
import { shortened } from "../../../../base/text/text.ts";
import type { EnvelopeOf } from "../../../../protocol/events/envelope.ts";
import { SUMMARY_CHARACTERS_MAX, TURN_NAMES_MAX } from "../../../../protocol/queries/history-queries.ts";
import type { ResultOf } from "../../../../protocol/queries/queries.ts";
import { priceOf } from "../../../../view/costs/cost.ts";
import { isShellEvent } from "../../../../view/event-facts.ts";
import { changedPath } from "../../../../view/texts/changes/change-preview.ts";
import { isTurnEnded, isTurnStarted } from "../../../../view/turn-marks.ts";
import type { TurnState } from "../../../../view/turn-result.ts";
import { foldTurn, NEW_TURN, turnResult } from "../../../../view/turn-result.ts";
import type { LogPiece } from "./history-reader.ts";
import { inputText } from "./history-reader.ts";

export type TurnRow = ResultOf<"ListTurns">["turns"][number];

/** The turns of a stretch of a log, folded from its events in order. Events before the first turn count for none. */
export class TurnFold {
  readonly #done: TurnRow[] = [];
  #open: OpenTurn | undefined;

  add(piece: LogPiece): void {
    const { event } = piece;
    if (isTurnStarted(event)) {
      this.close();
      this.#open = new OpenTurn(event);
    }
    this.#open?.add(piece);
    if (isTurnEnded(event)) this.close();
  }

  /** Turns whose end is known: they ended, or another one began. */
  get done(): readonly TurnRow[] {
    return this.#done;
  }

  /** The turn that has not ended. */
  get open(): TurnRow | undefined {
    return this.#open?.summary();
  }

  /** Ends the turn that is open: another one begins. */
  close(): void {
    if (this.#open !== undefined) this.#done.push(this.#open.summary());
    this.#open = undefined;
  }
}

class OpenTurn {
  readonly #start: EnvelopeOf<"TurnStarted">;
  readonly #writing = new Map<CallId, string>();
  /** Files that calls named. */
  readonly #files = new Set<string>();
  /** Files that a checkpoint knows of. */
  #changed: readonly string[] | undefined;
  #state: TurnState = NEW_TURN;
  #calls = 0;
  #last: EventSeq;
  #endedAt: string | undefined;
  #isExpired = false;

  constructor(start: EnvelopeOf<"TurnStarted">) {
    this.#start = start;
    this.#last = start.id;
  }

  add({ event, isExpired }: LogPiece): void {
    this.#state = foldTurn(this.#state, event);
    this.#last = event.id;
    this.#isExpired ||= isExpired;
    if (isTurnEnded(event)) {
      this.#endedAt = event.ts;
      this.#changed = event.payload.files;
    }
    if (isShellEvent(event)) return;
    if (event.kind === "ToolCallStarted") {
      const { callId, preview, args } = event.payload;
      if (event.parentCall === undefined) this.#calls += 1;
      const path = changedPath(preview, args);
      if (path !== undefined) this.#writing.set(callId, path);
    }
    if (event.kind === "ToolResult") {
      const { callId, isError } = event.payload;
      const path = this.#writing.get(callId);
      this.#writing.delete(callId);
      if (path !== undefined && isError !== true && this.#files.size < TURN_NAMES_MAX) this.#files.add(path);
    }
  }

  summary(): TurnRow {
    const { id, ts, payload } = this.#start;
    const { text, cost, tools, reason, error } = turnResult(this.#state);
    const rounds = this.#state.ended?.rounds ?? this.#state.costs.calls.get(undefined) ?? 0;
    return {
      turn: payload.turn,
      started_at: ts,
      ...(this.#endedAt === undefined ? {} : { ended_at: this.#endedAt }),
      first_event: id,
      last_event: this.#last,
      prompt: summaryText(inputText(payload.content ?? [])),
      answer: summaryText(text),
      ...(reason === undefined ? {} : { reason }),
      ...(error === undefined ? {} : { error_reason: error.reason }),
      rounds,
      calls: this.#calls,
      tools: tools.slice(0, TURN_NAMES_MAX),
      files: (this.#changed ?? [...this.#files]).slice(0, TURN_NAMES_MAX),
      cost_usd: priceOf(cost),
      input_tokens: cost.inputTokens,
      output_tokens: cost.outputTokens,
      cache_read_tokens: cost.cacheReadTokens,
      ...(this.#isExpired ? { expired: true } : {}),
    };
  }
}

/** Returns the beginning of a text, in at most `SUMMARY_CHARACTERS_MAX` characters. */
export function summaryText(text: string): string {
  return shortened(text.trim(), SUMMARY_CHARACTERS_MAX - 1);
}
