import { join } from "node:path";
import { SILENT_LOG } from "../../src/base/log.ts";
import { hostWorld } from "../../src/platform/host.ts";
import { trackDescendants } from "../../src/platform/sockets/descendants.ts";
import { hostSockets } from "../../src/platform/sockets/sockets.ts";
import { openAuthority } from "../../src/server/auth/open-authority.ts";
import { openOwnerExchange } from "../../src/server/auth/owner/owner.ts";

/**
 * An engine as far as its owner is concerned: `STATE COMMAND...` serves the exchange in a folder, starts the command
 * as a tool would, says "ready", and ends when its standard input does.
 */
const [stateDirectory = "", ...command] = process.argv.slice(2);
const world = hostWorld(SILENT_LOG);
await using authority = await openAuthority({ world, stateDirectory, channels: () => [] });
using descent = trackDescendants(world.clock);
await using _exchange = await openOwnerExchange({
  world,
  sockets: hostSockets,
  judge: (stream) => descent.judge(stream),
  authority,
  socketPath: join(stateDirectory, "owner.sock"),
  tokenPath: join(stateDirectory, "owner.token"),
});
const [program, ...rest] = command;
if (program !== undefined) {
  // Not `world.spawn`: what it leaves running has to go on.
  Bun.spawn([program, ...rest], {
    cwd: stateDirectory,
    env: { PATH: process.env["PATH"] ?? "" },
    detached: true,
    stdio: ["ignore", "ignore", "ignore"],
  });
}
console.log("ready");
for await (const _line of console) {
  // the other end of this pipe is what keeps it running
}
