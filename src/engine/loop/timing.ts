import type { CallId } from "../../base/ids.ts";
import type { Clock } from "../../base/world.ts";
import type { PayloadOf } from "../../protocol/events/events.ts";

const NANOSECONDS_PER_MS = 1e6;

/** Durations of the components of a turn, for the TurnTiming event (ENG-17). */
export class TurnTiming {
  readonly #clock: Clock;
  readonly #components = new Map<string, number>();
  readonly #toolCalls: { callId: CallId; tool: string; duration: number }[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Starts a stopwatch. The returned function adds the elapsed time to the component; later calls add nothing. */
  start(component: string): () => void {
    const startMs = this.#clock.monotonic();
    let stopped = false;
    return () => {
      if (!stopped) this.spent(component, this.#clock.monotonic() - startMs);
      stopped = true;
    };
  }

  spent(component: string, ms: number): void {
    this.#components.set(component, (this.#components.get(component) ?? 0) + ms);
  }

  toolCall(callId: CallId, tool: string, ms: number): void {
    this.#toolCalls.push({ callId, tool, duration: nanoseconds(ms) });
  }

  payload(turn: number): PayloadOf<"TurnTiming"> {
    const components = Object.fromEntries(
      [...this.#components].map(([name, ms]) => [name, nanoseconds(ms)] as const),
    );
    return { turn, components, toolCalls: this.#toolCalls };
  }
}

function nanoseconds(ms: number): number {
  return Math.max(0, Math.round(ms * NANOSECONDS_PER_MS));
}
