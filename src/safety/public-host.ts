import type { World } from "../base/world.ts";
import { isPublicAddress } from "./public-address.ts";

/** Addresses of a host, or why nothing may be sent to it. */
export type HostAddresses =
  | { readonly kind: "public"; readonly addresses: readonly string[] }
  /** One of its addresses is not of the public internet. */
  | { readonly kind: "inner"; readonly address: string }
  | { readonly kind: "none"; readonly cause?: unknown };

/** Returns the host of an address without the brackets of IPv6. */
export function bareHost({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, "");
}

/**
 * Resolves the host of an address once, for a connection that then goes to what was checked. A host of which one
 * address is private gets nothing (TOOL-04, S55).
 * @throws signal.reason when the signal aborts.
 */
export async function publicAddressesOf(
  { resolve }: Pick<World, "resolve">,
  url: URL,
  signal: AbortSignal,
): Promise<HostAddresses> {
  let addresses: readonly string[];
  try {
    addresses = await resolve(bareHost(url), signal);
  } catch (cause) {
    signal.throwIfAborted();
    return { kind: "none", cause };
  }
  if (addresses.length === 0) return { kind: "none" };
  const address = addresses.find((each) => !isPublicAddress(each));
  return address === undefined ? { kind: "public", addresses } : { kind: "inner", address };
}
