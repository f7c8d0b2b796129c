import type { Envelope } from "../../../protocol/events/envelope.ts";
import type { EventKind } from "../../../protocol/events/events.ts";
import type { PluginListener } from "../registration/plugin.ts";
import type { Contained } from "./containment.ts";
import type { PluginSession } from "./session.ts";

/** How long a listener may take for one event. A slow one is behind, and holds up nobody else. */
export const LISTENER_MS_MAX = 30_000;

export interface RegisteredListener {
  readonly run: PluginListener;
  /** Absent: every kind. */
  readonly kinds?: readonly EventKind[];
}

/** Tells a plugin of the events of one session until these end, or until it is switched off. */
export async function listen(
  events: AsyncIterable<Envelope>,
  { run, kinds }: RegisteredListener,
  { contained, session, signal }: ListenParts,
): Promise<void> {
  for await (const event of events) {
    if (kinds !== undefined && !kinds.includes(event.kind)) continue;
    if (contained.tellIfOff()) return;
    await contained.call("its listener", LISTENER_MS_MAX, () => run(event, session), signal);
  }
}

export interface ListenParts {
  readonly contained: Contained;
  readonly session: PluginSession;
  readonly signal: AbortSignal;
}
