import type { Duplex } from "node:stream";
import { hostSockets } from "../../platform/sockets/sockets.ts";
import { EXIT } from "../../session/commands/cli-command.ts";

/**
 * Forwards connections to a port to a socket of the file system: it runs in the network of confined commands, which is
 * otherwise empty, and is the only way out of it. `__relay PORT PATH`; prints `ready PID` once it listens.
 */
export async function runRelay([port = "", path = ""]: readonly string[]): Promise<void> {
  const never = new AbortController().signal;
  await hostSockets.listenLocally(Number(port), (client) => void pass(client, path, never));
  console.log(`ready ${process.pid}`);
  for (const name of ["SIGINT", "SIGHUP"]) process.on(name, () => undefined);
  process.on("SIGTERM", () => process.exit(EXIT.done));
}

async function pass(client: Duplex, path: string, signal: AbortSignal): Promise<void> {
  client.on("error", () => client.destroy()); // the command has gone
  client.pause();
  try {
    const proxy = await hostSockets.connectPath(path, signal);
    proxy.on("error", () => client.destroy());
    if (client.destroyed) {
      proxy.destroy(); // it has closed in the meantime
      return;
    }
    client.once("close", () => proxy.destroy());
    proxy.once("close", () => client.destroy());
    client.pipe(proxy);
    proxy.pipe(client);
  } catch {
    client.destroy(); // without its proxy there is no way out
  }
}
