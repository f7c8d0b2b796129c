import { rmSync } from "node:fs";
import { dirname } from "node:path";
import { SILENT_LOG } from "../../base/log.ts";
import { parseStart } from "../../credentials/helper/helper-messages.ts";
import { openHelper } from "../../credentials/helper/open-helper.ts";
import { HELPER_HEARTBEAT_MS } from "../../credentials/helper/supervise.ts";
import { hostClock } from "../../platform/clock.ts";
import type { Channel, ChannelHandler } from "../../platform/processes/channel.ts";
import { openChannel } from "../../platform/processes/channel.ts";
import { HELPER_DESCRIPTOR } from "../../platform/processes/helper-process.ts";
import { makeUndumpable } from "../../platform/processes/undumpable.ts";
import { hostRandom } from "../../platform/random.ts";
import { hostFetch } from "../../platform/sockets/fetch.ts";
import { hostListen } from "../../platform/sockets/listen.ts";
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
  beat(channel);
  const report = await openHelper(start, {
    fetch: hostFetch(),
    listen: hostListen(SILENT_LOG),
    random: hostRandom,
    clock: hostClock,
    readSettings: configured,
  });
  channel.send(JSON.stringify(report));
}

/** Opens the pipe. A user who typed these internal words has no pipe there, and gets an error. */
async function openOwnChannel(handler: ChannelHandler): Promise<Channel> {
  try {
    return await openChannel(HELPER_DESCRIPTOR, handler);
  } catch {
    await standardError().write("cinch: this command line is for cinch itself; see cinch --help\n");
    process.exit(EXIT.usage);
  }
}

function beat(channel: Channel): void {
  hostClock.timer(HELPER_HEARTBEAT_MS, () => {
    channel.beat();
    beat(channel);
  });
}
