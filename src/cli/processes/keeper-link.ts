import { closeSync, openSync } from "node:fs";
import { Cancelled, HarnessError } from "../../base/errors.ts";
import { helperClient } from "../../credentials/helper/client.ts";
import { parseBrokerMessage } from "../../credentials/helper/helper-messages.ts";
import { openChannel } from "../../platform/processes/channel.ts";
import { HELPER_DESCRIPTOR } from "../../platform/processes/helper-process.ts";
import type { Stop } from "./stop.ts";

/**
 * Opens the engine's end of the pipe to its keeper: messages about the helper go to the client, signals and the
 * keeper's end to `stop`.
 * @throws HarnessError UsageInvalid if there is no keeper: a user typed the internal words.
 */
export async function openKeeperLink(
  stdout: string,
  stop: Stop,
): Promise<Required<Pick<Stop, "helper" | "token">>> {
  const helper = helperClient();
  const token = Promise.withResolvers<string>();
  token.promise.catch(() => undefined); // most commands never ask for it
  try {
    await openChannel(HELPER_DESCRIPTOR, {
      message(text) {
        const note = parseBrokerMessage(text);
        if (note === undefined) return;
        if (note.kind === "signal") stop.onReportedSignal(note.name);
        else if (note.kind === "token") token.resolve(note.text);
        else helper.receive(note);
      },
      ended() {
        const why = new Cancelled("signal", "its keeper has ended");
        helper.fail(why); // else a start would wait for a helper that will never start
        token.reject(why);
        stop.orphaned(why);
      },
    });
  } catch (thrown) {
    const problem = "this command line is for cinch itself; see cinch --help";
    throw new HarnessError("UsageInvalid", { problem }, { cause: thrown });
  }
  if (stdout === "closed") closeAgain(1);
  return { helper, token: token.promise };
}

/**
 * Closes standard output again if it was closed for the keeper. The runtime opened the null device in its place and
 * marks what it opens as not inherited; `wasClosed` recognises that mark.
 */
function closeAgain(descriptor: 1): void {
  closeSync(descriptor);
  openSync("/dev/null", "w"); // takes the lowest free number, which is this one
}
