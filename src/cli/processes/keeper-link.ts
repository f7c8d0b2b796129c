import { closeSync, openSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { Cancelled, HarnessError } from "../../base/errors.ts";
import { helperClient } from "../../credentials/helper/client.ts";
import { parseBrokerMessage } from "../../credentials/helper/helper-messages.ts";
import type { BeatWatch } from "../../credentials/helper/watch-beats.ts";
import { watchBeats } from "../../credentials/helper/watch-beats.ts";
import { hostClock } from "../../platform/clock.ts";
import { openChannel } from "../../platform/processes/channel.ts";
import { HELPER_DESCRIPTOR } from "../../platform/processes/helper-process.ts";
import type { KeysHash } from "../shared-prompt/likeness.ts";
import type { Stop } from "./stop.ts";

/**
 * Opens the engine's end of the pipe to its keeper: messages about the helper go to the client, signals and the
 * keeper's end to `stop`. If the keeper is the helper, its silence over two heartbeats is a failure: nobody else has
 * the keys (CRED-04).
 * @throws HarnessError UsageInvalid if there is no keeper: a user typed the internal words.
 */
export async function openKeeperLink(
  stdout: string,
  stop: Stop,
): Promise<Required<Pick<Stop, "helper" | "token" | "keys">>> {
  const helper = helperClient();
  const token = Promise.withResolvers<string>();
  const keys = Promise.withResolvers<KeysHash>();
  for (const { promise } of [token, keys]) promise.catch(() => undefined); // most commands never ask for them
  let watch: BeatWatch | undefined;
  let socket: string | undefined;
  try {
    await openChannel(HELPER_DESCRIPTOR, {
      message(text) {
        const note = parseBrokerMessage(text);
        if (note === undefined) return;
        if (note.kind === "signal") stop.onReportedSignal(note.name);
        else if (note.kind === "token") token.resolve(note.text);
        else if (note.kind === "keys") keys.resolve(note);
        else if (note.kind === "beats")
          watch ??= watchBeats(hostClock, () => helper.receive({ kind: "failed", times: 1 }));
        else {
          if (note.kind === "ready") socket = note.socket;
          helper.receive(note);
        }
      },
      alive: () => watch?.alive(),
      ended() {
        watch?.[Symbol.dispose]();
        // A keeper that was killed could not.
        if (socket !== undefined) rmSync(dirname(socket), { recursive: true, force: true });
        const why = new Cancelled("signal", "its keeper has ended");
        helper.fail(why); // else a start would wait for a helper that will never start
        token.reject(why);
        keys.reject(why);
        stop.orphaned(why);
      },
    });
  } catch (thrown) {
    const problem = "this command line is for cinch itself; see cinch --help";
    throw new HarnessError("UsageInvalid", { problem }, { cause: thrown });
  }
  if (stdout === "closed") closeAgain(1);
  return { helper, token: token.promise, keys: keys.promise };
}

/**
 * Closes standard output again if it was closed for the keeper. The runtime opened the null device in its place and
 * marks what it opens as not inherited; `wasClosed` recognises that mark.
 */
function closeAgain(descriptor: 1): void {
  closeSync(descriptor);
  openSync("/dev/null", "w"); // takes the lowest free number, which is this one
}
