import { Cancelled } from "../base/errors.ts";
import { EXIT } from "./exit-codes.ts";

/** How a run is ended from outside: by signals, of which the first asks and the second forces (LIFE-02). */
export interface Stop {
  /** Aborts with the first signal. */
  readonly signal: AbortSignal;
  /** Hands Ctrl-C to somebody else for a while: the line client counts presses itself. */
  interrupts(handler: (() => void) | undefined): void;
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Listens for signals until the process ends. What must be put right at once hangs on its `exit` event. */
export function listenForSignals(): Stop {
  const controller = new AbortController();
  let interrupted: (() => void) | undefined;
  for (const name of SIGNALS) {
    process.on(name, () => {
      if (name === "SIGINT" && interrupted !== undefined) return interrupted();
      if (!controller.signal.aborted) return controller.abort(new Cancelled("signal", `stopped by ${name}`));
      process.exit(EXIT.cancelled);
    });
  }
  return {
    signal: controller.signal,
    interrupts(handler) {
      interrupted = handler;
    },
  };
}
