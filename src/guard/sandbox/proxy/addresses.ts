import type { World } from "../../../base/world.ts";
import { isPublicAddress } from "../../../safety/public-address.ts";
import type { HostEntry } from "../../../session/guard/hosts.ts";
import { isLiteral } from "../../../session/guard/hosts.ts";

/** Addresses of `localhost`, which is never resolved: it is this machine. */
const THIS_MACHINE: readonly string[] = ["127.0.0.1", "::1"];
const TRIED_MAX = 4;

/**
 * Returns the addresses to connect to for a host that an entry allows, or why there is none.
 *
 * Listing an address, or `localhost`, means that address. A name is different: its owner decides where it leads, from
 * one moment to the next, so only public addresses count.
 * @throws what `resolve` throws.
 */
export async function addressesFor(
  host: string,
  entry: HostEntry,
  resolve: World["resolve"],
  signal: AbortSignal,
): Promise<{ readonly addresses: readonly string[] } | { readonly refused: string }> {
  if (isLiteral(host)) return { addresses: [host.replace(/^\[|\]$/g, "")] };
  if (host === "localhost" && !entry.below) return { addresses: THIS_MACHINE };
  const found = await resolve(host, signal);
  const addresses = found.filter(isPublicAddress).slice(0, TRIED_MAX);
  if (addresses.length > 0) return { addresses };
  const [first] = found;
  return {
    refused:
      first === undefined
        ? `${host} has no address`
        : `${host} has the address ${first}, which is not public`,
  };
}
