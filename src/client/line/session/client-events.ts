import type { HarnessError } from "../../../base/errors.ts";
import type { Envelope } from "../../../protocol/events/envelope.ts";
import { followSession } from "../../../view/follow.ts";
import type { Sender } from "../../slash/sender.ts";
import type { LineInput } from "../input/terminal.ts";
import type { LineClientOptions } from "../options.ts";

/** Anything that the line client reacts to. */
export type ClientEvent =
  | { readonly kind: "event"; readonly envelope: Envelope }
  | { readonly kind: "ended" }
  | { readonly kind: "input"; readonly input: LineInput }
  | { readonly kind: "closed" }
  | { readonly kind: "notice"; readonly text: string }
  /** A queued piece of work is done. */
  | { readonly kind: "worked" }
  | { readonly kind: "attached"; readonly refused: HarnessError | undefined };

/** Returns the sources of a session and its terminal; each ends with the signal. */
export function clientEvents(
  options: LineClientOptions,
  sender: Sender,
  signal: AbortSignal,
): readonly AsyncGenerator<ClientEvent>[] {
  return [events(options, signal), input(options, signal), attach(options, sender), notices(options, signal)];
}

async function* events(
  { connection, session, history, past }: LineClientOptions,
  signal: AbortSignal,
): AsyncGenerator<ClientEvent> {
  // A new session has no history but the events before this client subscribed.
  const subscription = history || past !== undefined ? { signal, since: 0 } : { signal };
  for await (const envelope of followSession(connection, session, subscription))
    yield { kind: "event", envelope };
  yield { kind: "ended" };
}

async function* input({ terminal }: LineClientOptions, signal: AbortSignal): AsyncGenerator<ClientEvent> {
  for await (const input of terminal.input(signal)) yield { kind: "input", input };
  yield { kind: "closed" };
}

async function* notices(
  { notices: openNotices }: LineClientOptions,
  signal: AbortSignal,
): AsyncGenerator<ClientEvent> {
  if (openNotices === undefined) return;
  for await (const { text } of openNotices(signal)) yield { kind: "notice", text };
}

/** Attaches to a resumed session, whose interrupted calls are asked about now, while this client can answer. */
async function* attach(
  { history, session: sessionId, terminal }: LineClientOptions,
  sender: Sender,
): AsyncGenerator<ClientEvent> {
  if (!history || !terminal.interactive) return; // a line of a script is meant for the model
  yield { kind: "attached", refused: await sender.send({ kind: "AttachSession", sessionId }) };
}

/** Yields once for each finished piece of work. */
export async function* workDone(queue: AsyncGenerator<"worked">): AsyncGenerator<ClientEvent> {
  for await (const kind of queue) yield { kind };
}
