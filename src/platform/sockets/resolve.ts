import type { Resolve } from "../../base/world.ts";

/**
 * Asks this machine's resolver for every address of a name, `/etc/hosts` included.
 *
 * The resolver itself cannot be stopped; the signal ends the waiting.
 */
export const hostResolve: Resolve = async (host, signal) => {
  signal.throwIfAborted();
  const { lookup } = await import("node:dns/promises");
  const { whileAlive } = await import("../../base/async/deadline.ts");
  const found = await whileAlive(lookup(host, { all: true }), signal);
  return [...new Set(found.map(({ address }) => address))];
};
