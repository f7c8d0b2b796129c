import { HarnessError } from "../../../base/errors.ts";
import { Sender } from "../../slash/sender.ts";
import type { Services } from "../layout/services.ts";

/**
 * Returns a sender for the engine of the session that is shown. It waits until the engine is reached.
 * @param signal ends the wait for every answer.
 * @param say prints a text for the user.
 */
export function shownSender(
  { session }: Pick<Services, "session">,
  signal: AbortSignal,
  say: (text: string) => Promise<void>,
): Sender {
  return new Sender({
    connection: {
      async send(command) {
        const answer = await session.send(command);
        if (answer instanceof HarnessError) throw answer;
        return answer;
      },
      async query(query) {
        const answer = await session.query(query);
        if (answer instanceof HarnessError) throw answer;
        return answer;
      },
    },
    signal,
    say,
  });
}
