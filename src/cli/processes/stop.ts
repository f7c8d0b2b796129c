import { Cancelled } from "../../base/errors.ts";
import type { Clock } from "../../base/world.ts";
import type { HelperClient } from "../../credentials/helper/client.ts";
import { hostClock } from "../../platform/clock.ts";
import { EXIT } from "../../session/commands/cli-command.ts";
import type { KeysHash } from "../shared-prompt/likeness.ts";
import type { RunningPrompt } from "../shared-prompt/prompt-connection.ts";

/** Ends a run by signals: the first asks, the second forces (LIFE-02). */
export interface Stop {
  /** Aborts with the first signal. */
  readonly signal: AbortSignal;
  /** Passes Ctrl-C to another handler for a time: the line client counts presses itself. */
  interrupts(handler: (() => void) | undefined): void;
  /**
   * Called when the keeper reports a signal. A terminal sends each signal to the keeper and to us, other programs only
   * to the keeper: the second report of one signal is ignored.
   */
  onReportedSignal(name: string): void;
  /** The keys, if a keeper has them: they are used through it. */
  readonly helper?: HelperClient;
  /** The capability token of the environment, if a keeper has it; empty: it has none. */
  readonly token?: Promise<string>;
  /** The hash of the keys, if a keeper has them. */
  readonly keys?: Promise<KeysHash>;
  /** The prompt of this command line, if a running engine carries it out. */
  readonly running?: RunningPrompt;
  /** Monotonic time at which this process began with its command line, in milliseconds: `--max-time` counts from it. */
  readonly sinceMs?: number;
  /** Called when the keeper is gone, and with it every process that would wait for us. */
  orphaned(why: Cancelled): void;
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
type SignalName = (typeof SIGNALS)[number];

/** Longest time between one signal reaching the keeper and reaching this process. */
const SAME_SIGNAL_MS_MAX = 1_000;
/** Time limit for an engine without a keeper to end in order: that of its commands, and a margin. */
const ORPHAN_MS_MAX = 4_000;

/** Listens for signals until the process ends. Immediate clean-up hangs on its `exit` event. */
export function listenForSignals(clock: Clock = hostClock): Stop {
  const controller = new AbortController();
  const once = countOnce(clock);
  let interrupted: (() => void) | undefined;

  function act(name: SignalName): void {
    if (name === "SIGINT" && interrupted !== undefined) interrupted();
    else if (!controller.signal.aborted) controller.abort(new Cancelled("signal", `stopped by ${name}`));
    else process.exit(EXIT.cancelled);
  }
  for (const name of SIGNALS) {
    process.on(name, () => {
      if (once(name, "received")) act(name);
    });
  }
  return {
    signal: controller.signal,
    interrupts(handler) {
      interrupted = handler;
    },
    onReportedSignal(name) {
      const known = SIGNALS.find((each) => each === name);
      if (known !== undefined && once(known, "told")) act(known);
    },
    orphaned(why) {
      if (!controller.signal.aborted) controller.abort(why);
      // A sleep holds the process open. Otherwise the runtime would spin until the end.
      clock.sleep(ORPHAN_MS_MAX, new AbortController().signal).then(
        () => process.exit(EXIT.cancelled),
        () => process.exit(EXIT.cancelled),
      );
    },
  };
}

type Way = "received" | "told";

/** Returns a test for new signals: false for one that has come the other way a moment ago. */
export function countOnce(clock: Pick<Clock, "monotonic">): (name: SignalName, way: Way) => boolean {
  const alone: { readonly name: SignalName; readonly way: Way; readonly atMs: number }[] = [];
  return (name, way) => {
    const nowMs = clock.monotonic();
    const same = alone.findIndex(
      (each) => each.name === name && each.way !== way && nowMs - each.atMs <= SAME_SIGNAL_MS_MAX,
    );
    if (same >= 0) {
      alone.splice(same, 1);
      return false;
    }
    while (alone[0] !== undefined && nowMs - alone[0].atMs > SAME_SIGNAL_MS_MAX) alone.shift();
    alone.push({ name, way, atMs: nowMs });
    return true;
  };
}
