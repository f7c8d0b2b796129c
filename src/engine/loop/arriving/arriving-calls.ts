import type { CallId } from "../../../base/ids.ts";
import type { World } from "../../../base/world.ts";
import type { ToolUseBlock } from "../../../protocol/content.ts";
import type { ArgumentsListener, ArgumentsPiece } from "../../../providers/provider.ts";
import type { ArgsDelta } from "../../bus/args-delta.ts";
import type { Bus } from "../../bus/bus.ts";
import type { EventOrigin } from "../../bus/origin.ts";
import type { Redaction } from "../../bus/redaction.ts";
import { ArrivingCall } from "./arriving-call.ts";

/** Shortest time between two shown pieces of one call. */
export const ARGS_SHOWN_MS = 100;

/** Calls of one answer whose arguments are shown while they come. */
export const ARRIVING_CALLS_MAX = 64;

export interface ArrivingCallsDependencies {
  readonly world: Pick<World, "clock" | "ids">;
  readonly bus: Bus;
  readonly redaction: Redaction;
  readonly origin: EventOrigin;
}

/**
 * Shows the arguments of the calls of a turn while the model writes them, to subscribers that ask (CTL-19). While none
 * asks, nothing is computed. Who asks in the middle of a call gets what was shown of it before.
 *
 * A call that was shown ends with its ToolCallStarted of the same id, or with a piece that says `void`: its answer
 * broke off or was tried again, or the turn ended before it. Nothing is shown before the log has the turn's input.
 */
export class ArrivingCalls {
  readonly #parts: ArrivingCallsDependencies;
  /** By the index of their block in the answer. */
  #calls = new Map<number, ArrivingCall>();
  /** The attempt whose pieces count. */
  #attempt = 0;
  #isReady = false;
  #isPreparing = false;
  #timer: Disposable | undefined;
  #source: Disposable | undefined;

  constructor(parts: ArrivingCallsDependencies) {
    this.#parts = parts;
  }

  /** Begins another request. What came of the one before is void. Returns the listener for its arguments. */
  attempt(): ArgumentsListener {
    this.close();
    const { bus } = this.#parts;
    const attempt = this.#attempt;
    return {
      get isWanted() {
        return bus.isArgsWanted;
      },
      take: (piece) => {
        if (attempt === this.#attempt) this.#take(piece);
      },
    };
  }

  /** Returns the id that the call at an index was shown with, if it was. */
  idOf(index: number): CallId | undefined {
    return this.#calls.get(index)?.id;
  }

  /** Shows the rest of a finished call, or all of it if it came in no pieces. `block` is redacted. */
  ended(index: number, { id, name, input }: ToolUseBlock): void {
    const known = this.#calls.get(index);
    if (known === undefined && !this.#parts.bus.isArgsWanted) return;
    const call = known ?? this.#open(index, name, id);
    if (call === undefined) return;
    if (known === undefined) call.push(JSON.stringify(input));
    call.end();
    while (call.hasNews) this.#tell(call);
  }

  /** Call when a call begins: its ToolCallStarted has the whole arguments. */
  started(id: CallId): void {
    for (const [index, call] of this.#calls) if (call.id === id) this.#calls.delete(index);
  }

  /** Ends what was shown of calls that did not begin. */
  close(): void {
    this.#attempt += 1;
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    this.#source?.[Symbol.dispose]();
    this.#source = undefined;
    if (this.#calls.size === 0) return;
    const { bus, origin } = this.#parts;
    for (const call of this.#calls.values())
      if (call.isShown) bus.notifyArgs({ kind: "ToolArgsDelta", payload: call.voided() }, origin);
    this.#calls = new Map();
  }

  #take({ index, name, text }: ArgumentsPiece): void {
    const call = this.#calls.get(index) ?? this.#open(index, name);
    if (call === undefined) return;
    call.push(text);
    if (this.#isReady) this.#show();
    else void this.#prepare();
  }

  #open(index: number, name: string, id?: CallId): ArrivingCall | undefined {
    if (this.#calls.size === ARRIVING_CALLS_MAX) return undefined;
    const { world, redaction, bus, origin } = this.#parts;
    this.#source ??= bus.addArgsSource({ origin, shown: () => this.#shown() });
    const call = new ArrivingCall(id ?? world.ids.next("call"), { name, index }, redaction.jsonStream());
    this.#calls.set(index, call);
    return call;
  }

  #shown(): readonly ArgsDelta[] {
    const payloads = [...this.#calls.values()].flatMap((call) => call.again());
    return payloads.map((payload) => ({ kind: "ToolArgsDelta", payload }));
  }

  async #prepare(): Promise<void> {
    if (this.#isPreparing) return;
    this.#isPreparing = true;
    try {
      await this.#parts.bus.commitInputs();
    } catch {
      return; // the bus keeps its failure, which ends the turn
    }
    this.#isReady = true;
    this.#show();
  }

  /** Shows the next piece of each call whose last one was shown long enough ago, and comes again for the others. */
  #show(): void {
    const { clock } = this.#parts.world;
    const nowMs = clock.monotonic();
    let waitMs = Number.POSITIVE_INFINITY;
    for (const call of this.#calls.values()) {
      if (call.hasNews && nowMs - call.shownAtMs >= ARGS_SHOWN_MS) this.#tell(call);
      if (call.hasNews) waitMs = Math.min(waitMs, call.shownAtMs + ARGS_SHOWN_MS - nowMs);
    }
    if (waitMs === Number.POSITIVE_INFINITY) return;
    this.#timer ??= clock.timer(waitMs, () => {
      this.#timer = undefined;
      this.#show();
    });
  }

  #tell(call: ArrivingCall): void {
    const { bus, origin, world } = this.#parts;
    call.shownAtMs = world.clock.monotonic();
    bus.notifyArgs({ kind: "ToolArgsDelta", payload: call.next() }, origin);
  }
}
