import { HarnessError } from "../base/errors.ts";
import type { Envelope } from "../protocol/events/envelope.ts";
import type { SentInput, TurnResult } from "./turn-result.ts";
import { foldTurn, NEW_TURN, startsTurn, turnResult } from "./turn-result.ts";

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
  let state = NEW_TURN;
  let isOurs = false;
  for await (const event of events) {
    if (withdraws(event, input)) return "withdrawn";
    isOurs ||= startsTurn(event, input);
    if (!isOurs) continue;
    state = foldTurn(state, event);
    onEvent(event);
    if (state.ended !== undefined) return turnResult(state);
  }
  throw new HarnessError("EngineStopping", {});
}

function withdraws(event: Envelope, { inputId }: SentInput): boolean {
  if (event.kind !== "InputWithdrawn" || event.parentCall !== undefined || inputId === undefined)
    return false;
  return event.payload.inputId === inputId;
}
