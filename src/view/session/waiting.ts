import { defined } from "../../base/defined.ts";
import type { ClientId, InputId } from "../../base/ids.ts";
import { isObject, jsonCharacters } from "../../base/json.ts";
import { shortened } from "../../base/text/text.ts";
import type { InputBlock } from "../../protocol/content.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import type { PayloadOf } from "../../protocol/events/events.ts";
import { isMissing } from "../follow.ts";
import type { UncertainEntry } from "./gaps/uncertain.ts";
import { uncertain } from "./gaps/uncertain.ts";
import { NAME_CHARACTERS_MAX } from "./limits.ts";

/** Waiting inputs that are kept; one that comes beyond that is left out. */
const WAITING_MAX = 1_000;
/**
 * Characters of all waiting inputs. As many as an engine lets wait, so that an input that is held can be sent again
 * as it was.
 */
const WAITING_CHARACTERS_MAX = 32 * 1024 * 1024;

/** An input that the engine has accepted and not started (ENG-26). */
export interface WaitingInput extends UncertainEntry {
  readonly inputId: InputId;
  readonly content: readonly InputBlock[];
  readonly delivery: "queue" | "steer";
  readonly originator: ClientId;
  /** Skill that it uses, and kind of sub-agent that gets it, if its sender asked for them. */
  readonly skill?: string;
  readonly agent?: string;
  /** True if it starts only after a person has sent something. */
  readonly held: boolean;
}

/** Returns the waiting inputs, in order, after one more event; the same list if none changed. */
export function waitingAfter(waiting: readonly WaitingInput[], envelope: Envelope): readonly WaitingInput[] {
  switch (envelope.kind) {
    case "InputQueued": {
      if (!isRoomFor(envelope.payload.content, waiting)) return waiting;
      return queued(waiting, envelope.payload);
    }
    case "InputEdited":
      return edited(waiting, envelope.payload);
    case "InputMoved":
      return moved(waiting, envelope.payload);
    case "InputWithdrawn":
      return without(waiting, envelope.payload.inputId);
    case "TurnStarted":
      return without(waiting, envelope.payload.inputId);
    case "StreamGap":
      return isMissing(envelope) ? uncertain(waiting) : waiting;
    case "CustomEvent":
      return afterCustom(waiting, envelope.payload);
    default:
      return waiting;
  }
}

/** An input stands before those that are held. One of a person releases them: a person has acted. */
function queued(
  waiting: readonly WaitingInput[],
  { inputId, content, delivery, originator, who, skill, agent }: PayloadOf<"InputQueued">,
): readonly WaitingInput[] {
  const wants = defined({ skill: shortName(skill), agent: shortName(agent) });
  const input = { inputId, content, delivery, originator, held: false, ...wants };
  const all = [...waiting.filter(({ held }) => !held), input, ...waiting.filter(({ held }) => held)];
  if (who?.identityClass !== "human") return all;
  return all.map((each) => (each.held ? { ...each, held: false } : each));
}

function shortName(name: string | undefined): string | undefined {
  return name === undefined ? undefined : shortened(name, NAME_CHARACTERS_MAX);
}

/** An edit that is too long leaves the input out: its earlier content is not what will be sent. */
function edited(
  waiting: readonly WaitingInput[],
  { inputId, content }: PayloadOf<"InputEdited">,
): readonly WaitingInput[] {
  const rest = without(waiting, inputId);
  if (rest === waiting || !isRoomFor(content, rest)) return rest;
  return waiting.map((input) => (input.inputId === inputId ? { ...input, content } : input));
}

function moved(
  waiting: readonly WaitingInput[],
  { inputId, before }: PayloadOf<"InputMoved">,
): readonly WaitingInput[] {
  const input = waiting.find((each) => each.inputId === inputId);
  if (input === undefined) return waiting;
  const rest = without(waiting, inputId);
  const at = rest.findIndex((each) => each.inputId === before);
  return at === -1 ? [...rest, input] : rest.toSpliced(at, 0, input);
}

function isRoomFor(content: readonly InputBlock[], waiting: readonly WaitingInput[]): boolean {
  if (waiting.length >= WAITING_MAX) return false;
  const all = waiting.reduce((sum, input) => sum + jsonCharacters(input.content), jsonCharacters(content));
  return all <= WAITING_CHARACTERS_MAX;
}

function afterCustom(
  waiting: readonly WaitingInput[],
  { namespace, kind, payload }: Extract<Envelope, { kind: "CustomEvent" }>["payload"],
): readonly WaitingInput[] {
  if (namespace !== "cinch" || !isObject(payload)) return waiting;
  if (kind === "InputDelivered") return without(waiting, payload["inputId"]);
  const list = waitingList(kind, payload);
  if (list === undefined) return waiting;
  // An input that this client never saw queued cannot be shown; one that is not listed is gone.
  return list.inputIds.flatMap((id: unknown) => {
    const known = waiting.find(({ inputId }) => inputId === id);
    if (known === undefined) return [];
    const { isUncertain: _, ...input } = known;
    return [{ ...input, held: list.held.includes(id) }];
  });
}

/** Returns the ids of an event that lists all waiting inputs, in order; undefined for any other event. */
export function listedInputs(envelope: Envelope): readonly unknown[] | undefined {
  if (envelope.kind !== "CustomEvent" || envelope.payload.namespace !== "cinch") return undefined;
  const { kind, payload } = envelope.payload;
  return isObject(payload) ? waitingList(kind, payload)?.inputIds : undefined;
}

function waitingList(kind: string, { inputIds, held }: Readonly<Record<string, unknown>>) {
  const isList = kind === "InputsWaiting" && Array.isArray(inputIds) && Array.isArray(held);
  return isList ? { inputIds: inputIds as readonly unknown[], held: held as readonly unknown[] } : undefined;
}

function without(waiting: readonly WaitingInput[], inputId: unknown): readonly WaitingInput[] {
  const rest = waiting.filter((input) => input.inputId !== inputId);
  return rest.length === waiting.length ? waiting : rest;
}
