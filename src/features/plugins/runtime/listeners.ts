import type { Envelope } from "../../../protocol/events/envelope.ts";
import type { EventKind } from "../../../protocol/events/events.ts";
import type { PluginListener } from "../../../session/plugins/plugin.ts";
import type { PluginSession } from "../../../session/plugins/plugin-session.ts";
import type { PluginContainment } from "./containment.ts";

/** The longest time for a listener to handle one event. A slow listener falls behind without delaying others. */
export const LISTENER_MS_MAX = 30_000;

export interface RegisteredListener {
  readonly run: PluginListener;
  /** Default: every kind. */
  readonly kinds?: readonly EventKind[];
}

/** Passes the events of one session to a plugin's listener until they end, or until the plugin is switched off. */
export async function runListener(
  events: AsyncIterable<Envelope>,
  { run, kinds }: RegisteredListener,
  { contained, session, signal }: ListenerContext,
): Promise<void> {
  for await (const event of events) {
    if (kinds !== undefined && !kinds.includes(event.kind)) continue;
    if (contained.reportIfOff()) return;
    await contained.call("its listener", LISTENER_MS_MAX, () => run(event, session), signal);
  }
}

export interface ListenerContext {
  readonly contained: PluginContainment;
  readonly session: PluginSession;
  readonly signal: AbortSignal;
}
