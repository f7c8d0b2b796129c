import { closeSync, openSync } from "node:fs";
import { Cancelled, HarnessError } from "../../base/errors.ts";
import { helperClient } from "../../credentials/helper/client.ts";
import { parseNote } from "../../credentials/helper/wire.ts";
import { BESIDE_DESCRIPTOR } from "../../platform/processes/beside.ts";
import { openChannel } from "../../platform/processes/channel.ts";
import type { Stop } from "./stop.ts";

/**
 * Opens the engine's end of the pipe to its keeper: notes about the helper go to the client, signals and the
 * keeper's end to `stop`.
 * @throws HarnessError UsageInvalid where there is no keeper: somebody typed what only cinch writes.
 */
export async function openKeeperLink(
  stdout: string,
  stop: Stop,
): Promise<Required<Pick<Stop, "helper" | "token">>> {
  const helper = helperClient();
  const token = Promise.withResolvers<string>();
  token.promise.catch(() => undefined); // most commands never ask for it
  try {
    await openChannel(BESIDE_DESCRIPTOR, {
      message(text) {
        const note = parseNote(text);
        if (note === undefined) return;
        if (note.kind === "signal") stop.told(note.name);
        else if (note.kind === "token") token.resolve(note.text);
        else helper.tell(note);
      },
      ended() {
        const why = new Cancelled("signal", "its keeper has ended");
        helper.lost(why); // else a start would wait for a helper that nobody starts any more
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
 * Makes standard output closed again where it was closed for the keeper: the runtime has put the null device there,
 * and what it opens for itself it marks as not inherited, by which `wasClosed` tells it.
 */
function closeAgain(descriptor: 1): void {
  closeSync(descriptor);
  openSync("/dev/null", "w"); // takes the lowest free number, which is this one
}
