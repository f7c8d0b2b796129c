import { HarnessError } from "../../base/errors.ts";
import type { ClientId, InputId } from "../../base/ids.ts";
import { stringAt } from "../../base/json.ts";
import { INPUT_DELIVERED } from "../../engine/loop/turn.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import type { TurnAnswer } from "../../protocol/resources.ts";

/** The input whose turn is waited for. */
export interface SentInput {
  readonly by: ClientId;
  /** Where it had to wait for its turn. */
  readonly inputId?: InputId;
}

/**
 * Follows the turn of an input to its end, over events that were subscribed to before the input was sent.
 *
 * An input that waited may begin a turn of its own, enter one that runs, or be withdrawn.
 * @throws HarnessError EngineStopping where the session ends before the turn does.
 */
export async function turnAnswer(
  events: AsyncIterable<Envelope>,
  input: SentInput,
  { withEvents }: { readonly withEvents: boolean },
): Promise<TurnAnswer> {
  const turn = new TurnSoFar();
  let isOurs = false;
  for await (const event of events) {
    if (event.parentCall === undefined) {
      if (event.kind === "InputWithdrawn" && event.payload.inputId === input.inputId)
        return turn.answer("withdrawn", 0, withEvents);
      isOurs ||= begins(event, input);
    }
    if (!isOurs) continue;
    turn.add(event);
    if (event.kind === "TurnEnded" && event.parentCall === undefined)
      return turn.answer(event.payload.reason, event.payload.rounds ?? 0, withEvents);
  }
  throw new HarnessError("EngineStopping", {});
}

function begins(event: Envelope, { by, inputId }: SentInput): boolean {
  if (event.kind === "TurnStarted") {
    const { originator, inputId: began } = event.payload;
    return began === inputId && (inputId !== undefined || originator === by);
  }
  if (event.kind !== "CustomEvent" || inputId === undefined) return false;
  const { namespace, kind, payload } = event.payload;
  return namespace === "cinch" && kind === INPUT_DELIVERED && stringAt(payload, "inputId") === inputId;
}

/** What a turn has come to. */
class TurnSoFar {
  readonly #events: Envelope[] = [];
  readonly #tools = new Set<string>();
  #text = "";
  #usd: number | null = 0;
  #error: { readonly reason: string; readonly message: string } | undefined;

  add(event: Envelope): void {
    this.#events.push(event);
    if (event.kind === "CostIncremented") {
      const { usd } = event.payload;
      this.#usd = this.#usd === null || usd === null ? null : this.#usd + usd;
    }
    if (event.parentCall !== undefined) return; // what a sub-agent says and calls is its own
    if (event.kind === "ToolCallStarted") this.#tools.add(event.payload.tool);
    if (event.kind === "ToolResult") this.#text = ""; // what was said before a call is not the answer
    if (event.kind === "TextDelta") this.#text += event.payload.text;
    if (event.kind === "Error" && event.payload.severity !== "notice") {
      const { reason, message } = event.payload;
      this.#error = { reason, message };
    }
  }

  answer(reason: string, turns: number, withEvents: boolean): TurnAnswer {
    return {
      text: this.#text,
      reason,
      turns,
      cost_usd: this.#usd,
      tools_used: [...this.#tools],
      ...(reason === "error" && this.#error !== undefined ? { error: this.#error } : {}),
      ...(withEvents ? { events: this.#events } : {}),
    };
  }
}
