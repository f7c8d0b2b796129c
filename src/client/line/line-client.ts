import { sharedTerminal } from "./input/shared-terminal.ts";
import type { LineClientOptions, LineOutcome } from "./options.ts";
import { WatchedSession } from "./session/watched-session.ts";

/**
 * Runs the line client: sends typed lines, prints events, asks permission questions ([A] § Clients, PERM-03, TUI-03).
 *
 * A line sent during a turn waits in the engine. A refused line is kept here and offered again, so typed text is never
 * lost (ENG-26). Returns when the user leaves, or when the input is closed and the last turn is over.
 * @throws the signal's reason when it aborts.
 */
export async function runLineClient(options: LineClientOptions): Promise<LineOutcome> {
  const leave = new AbortController();
  const terminal = sharedTerminal(options.terminal, AbortSignal.any([options.signal, leave.signal]));
  try {
    let on: LineClientOptions = { ...options, terminal };
    while (true) {
      const client = new WatchedSession(on);
      const outcome = await client.run();
      const { next } = client;
      if (next === undefined) return outcome;
      const { isSwitch = false } = next;
      if (!isSwitch) {
        await terminal.write(`now in ${next.session}; /resume ${on.session} returns to the other one\n`);
      }
      const { shown: _, past: __, ...same } = on;
      // A script cannot see in which session its text would end up.
      const unsentInputs = isSwitch || terminal.interactive ? client.kept : [];
      on = { ...same, isSwitch, ...next, history: true, typed: client.ahead, unsentInputs };
    }
  } finally {
    leave.abort();
  }
}
