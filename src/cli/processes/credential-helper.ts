import { rmSync } from "node:fs";
import { dirname } from "node:path";
import { SILENT_LOG } from "../../base/log.ts";
import type { Listen } from "../../base/world.ts";
import type { HelperStart } from "../../credentials/helper/helper-messages.ts";
import { parseStart } from "../../credentials/helper/helper-messages.ts";
import { openHelper } from "../../credentials/helper/open-helper.ts";
import type { HelperEvents, SupervisedHelper } from "../../credentials/helper/supervise.ts";
import { beatRegularly } from "../../credentials/helper/watch-beats.ts";
import { hostClock } from "../../platform/clock.ts";
import type { Channel, ChannelHandler } from "../../platform/processes/channel.ts";
import { openChannel } from "../../platform/processes/channel.ts";
import { HELPER_DESCRIPTOR } from "../../platform/processes/helper-process.ts";
import { makeUndumpable } from "../../platform/processes/undumpable.ts";
import { hostRandom } from "../../platform/random.ts";
import { hostFetch } from "../../platform/sockets/fetch.ts";
import { hostListen } from "../../platform/sockets/listen.ts";
import { claimStrayErrors } from "../../platform/stray-errors.ts";
import { EXIT } from "../../session/commands/cli-command.ts";
import { standardError } from "../io/output.ts";
import { configured } from "../secrets.ts";

/**
 * Runs the credential helper: it holds the keys, makes the provider requests, and nothing else (CRED-03).
 *
 * All its input comes through its pipe, and it ends with it. Signals of the terminal are the engine's business.
 */
export async function runHelper(): Promise<void> {
  makeUndumpable();
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"]) process.on(name, () => undefined);
  let socket: string | undefined;
  const started = Promise.withResolvers<string>();
  const channel = await openOwnChannel({
    message: started.resolve,
    ended() {
      // The keeper's end ends us. Only the directory of the socket is left to remove.
      if (socket !== undefined) rmSync(dirname(socket), { recursive: true, force: true });
      process.exit(EXIT.done);
    },
  });
  const start = parseStart(await started.promise);
  if (start === undefined) return;
  socket = start.socket;
  beatRegularly(hostClock, channel.beat);
  const report = await openHelper(start, { ...HOST, fetch: hostFetch(), listen: hostListen(SILENT_LOG) });
  channel.send(JSON.stringify(report));
}

/**
 * Runs the credential helper in this process, which was given the keys. It ends with the engine (CRED-03).
 *
 * An uncaught error is a crash of the helper, not of this process: it stops listening, and the supervisor starts the
 * next one. The error is not shown, since its text may hold a key. A later one is a bug of this process, which it ends.
 */
export function helperHere(start: HelperStart, events: HelperEvents): SupervisedHelper {
  let isRunning = true;
  const crash = () => {
    if (!isRunning) return endWithoutText();
    isRunning = false;
    events.ended();
  };
  claimStrayErrors(() => {
    crash();
    return true;
  });
  // The user's environment is that of this process, and a key goes only to whom the certificate names.
  delete process.env["NODE_TLS_REJECT_UNAUTHORIZED"];
  const beats = beatRegularly(hostClock, events.alive);
  const listeners = new AsyncDisposableStack();
  const listen: Listen = async (options) => listeners.use(await hostListen(SILENT_LOG)(options));
  openHelper(start, { ...HOST, fetch: hostFetch(), listen }).then(events.report, crash);
  const end = () => {
    isRunning = false;
    beats[Symbol.dispose]();
    listeners.disposeAsync().catch(crash);
  };
  return { kill: end, close: end };
}

/** Ends this process, and shows only that there was an error: its text may hold a key. */
function endWithoutText(): void {
  const end = () => process.exit(EXIT.failed);
  standardError().write(LATE_ERROR).then(end, end);
}

const LATE_ERROR =
  "cinch: bug in cinch: an error in the process that holds the keys. Its text is not shown, since it may hold one.\n";

const HOST = { random: hostRandom, clock: hostClock, readSettings: configured };

/** Opens the pipe. A user who typed these internal words has no pipe there, and gets an error. */
async function openOwnChannel(handler: ChannelHandler): Promise<Channel> {
  try {
    return await openChannel(HELPER_DESCRIPTOR, handler);
  } catch {
    await standardError().write("cinch: this command line is for cinch itself; see cinch --help\n");
    process.exit(EXIT.usage);
  }
}
