import { Cancelled } from "../base/errors.ts";
import { EXIT } from "./exit-codes.ts";

/** How a run is ended from outside: by signals, of which the first asks and the second forces (LIFE-02). */
export interface Stop {
  /** Aborts with the first signal. */
  readonly signal: AbortSignal;
  /** What to put right at once before the process is forced to end: a terminal, processes of tools. */
  onForce(action: () => void): void;
  /** Hands Ctrl-C to somebody else for a while: the line client counts presses itself. */
  interrupts(handler: (() => void) | undefined): void;
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Listens for signals until the process ends. */
export function listenForSignals(): Stop {
  const controller = new AbortController();
  const actions: (() => void)[] = [];
  let interrupted: (() => void) | undefined;
  for (const name of SIGNALS) {
    process.on(name, () => {
      if (name === "SIGINT" && interrupted !== undefined) return interrupted();
      if (!controller.signal.aborted) return controller.abort(new Cancelled("signal", `stopped by ${name}`));
      for (const action of actions) action();
      process.exit(EXIT.cancelled);
    });
  }
  return {
    signal: controller.signal,
    onForce: (action) => void actions.push(action),
    interrupts(handler) {
      interrupted = handler;
    },
  };
}
