import type { ClientId, InputId } from "../../base/ids.ts";
import { isObject } from "../../base/json.ts";
import type { InputBlock } from "../../protocol/content.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";

/** An input that the engine has accepted and not started (ENG-26). */
export interface WaitingInput {
  readonly inputId: InputId;
  readonly content: readonly InputBlock[];
  readonly delivery: "queue" | "steer";
  readonly originator: ClientId;
  /** True if it starts only after a person has sent something. */
  readonly held: boolean;
}

/** Returns the waiting inputs, in order, after one more event; the same list if none changed. */
export function waitingAfter(waiting: readonly WaitingInput[], envelope: Envelope): readonly WaitingInput[] {
  switch (envelope.kind) {
    case "InputQueued": {
      const { inputId, content, delivery, originator } = envelope.payload;
      return [...waiting, { inputId, content, delivery, originator, held: false }];
    }
    case "InputWithdrawn":
      return without(waiting, envelope.payload.inputId);
    case "TurnStarted":
      return without(waiting, envelope.payload.inputId);
    case "CustomEvent":
      return afterCustom(waiting, envelope.payload);
    default:
      return waiting;
  }
}

function afterCustom(
  waiting: readonly WaitingInput[],
  { namespace, kind, payload }: Extract<Envelope, { kind: "CustomEvent" }>["payload"],
): readonly WaitingInput[] {
  if (namespace !== "cinch" || !isObject(payload)) return waiting;
  if (kind === "InputDelivered") return without(waiting, payload["inputId"]);
  if (kind !== "InputsWaiting") return waiting;
  const { inputIds, held } = payload;
  if (!Array.isArray(inputIds) || !Array.isArray(held)) return waiting;
  // An input that this client never saw queued cannot be shown; one that is not listed is gone.
  return inputIds.flatMap((id: unknown) => {
    const known = waiting.find(({ inputId }) => inputId === id);
    return known === undefined ? [] : [{ ...known, held: held.includes(id) }];
  });
}

function without(waiting: readonly WaitingInput[], inputId: unknown): readonly WaitingInput[] {
  const rest = waiting.filter((input) => input.inputId !== inputId);
  return rest.length === waiting.length ? waiting : rest;
}
