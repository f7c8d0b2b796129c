import { sharedTerminal } from "./input/shared-terminal.ts";
import type { LineClientOptions, LineOutcome } from "./options.ts";
import { WatchedSession } from "./session/watched-session.ts";

/**
 * The line client: type a line, watch what happens, answer what is asked ([A] § Clients, PERM-03, TUI-03).
 *
 * A line that is sent while a turn runs waits in the engine for its turn, and one that is refused is kept here and offered
 * again: nothing typed is lost (ENG-26).
 * Ends when the person leaves, the input is closed and the last turn is over, or the signal aborts.
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
        await terminal.write(
          `${next.session} goes on; /sessions:resume ${on.session} returns to the other one.\n`,
        );
      }
      const { shown: _, past, ...same } = on;
      const known = isSwitch || past === undefined ? {} : { past };
      // A script does not see where a text of it would go.
      const kept = isSwitch || terminal.interactive ? client.kept : [];
      on = { ...same, ...known, isSwitch, ...next, history: true, typed: client.ahead, kept };
    }
  } finally {
    leave.abort();
  }
}
