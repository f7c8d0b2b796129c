import { HarnessError } from "../base/errors.ts";
import type { InputId } from "../base/ids.ts";
import type { Envelope } from "../protocol/events/envelope.ts";
import type { SentInput, TurnResult, TurnState } from "./turn-result.ts";
import { foldTurn, NEW_TURN, startsTurn, turnResult } from "./turn-result.ts";

/** The turn of an input so far: undefined before it starts, `withdrawn` if it never will. */
export type InputTurn = TurnState | "withdrawn" | undefined;

/** Folds one more event into the turn of an input. An input that waited may start a turn or enter one that runs. */
export function inputTurnAfter(turn: InputTurn, event: Envelope, input: SentInput): InputTurn {
  if (turn === "withdrawn") return turn;
  if (withdraws(event, input.inputId)) return "withdrawn";
  return turn === undefined && !startsTurn(event, input) ? undefined : foldTurn(turn ?? NEW_TURN, event);
}

/**
 * Follows the turn of an input to its end, over events that were subscribed to before the input was sent.
 *
 * An input that waited may start a turn, enter one that runs, or be withdrawn.
 * @param onEvent called with each event of the turn, in order.
 * @throws HarnessError EngineStopping if the events end before the turn does.
 */
export async function followTurn(
  events: AsyncIterable<Envelope>,
  input: SentInput,
  onEvent: (event: Envelope) => void = () => undefined,
): Promise<TurnResult | "withdrawn"> {
  let turn: InputTurn;
  for await (const event of events) {
    turn = inputTurnAfter(turn, event, input);
    if (turn === "withdrawn") return turn;
    if (turn === undefined) continue;
    onEvent(event);
    if (turn.ended !== undefined) return turnResult(turn);
  }
  throw new HarnessError("EngineStopping", {});
}

function withdraws(event: Envelope, inputId: InputId | undefined): boolean {
  if (event.kind !== "InputWithdrawn" || event.parentCall !== undefined || inputId === undefined)
    return false;
  return event.payload.inputId === inputId;
}
