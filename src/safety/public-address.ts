import { BlockList, isIP } from "node:net";

/**
 * Returns true if an address belongs to the public internet, so that a page or a proxied command may use it.
 *
 * All of IANA's special ranges are excluded: private, loopback, link-local (cloud metadata among them), shared,
 * documentation, benchmarking, multicast and reserved. Of IPv6 only global unicast is accepted, without the ranges
 * that embed an IPv4 address (6to4, Teredo, NAT64, mapped): their targets are not visible. A text that is no address,
 * or one with a zone, is not public (TOOL-04, S55, S57).
 */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !SPECIAL_4.check(address, "ipv4");
    case 6:
      return !address.includes("%") && GLOBAL_6.check(address, "ipv6") && !SPECIAL_6.check(address, "ipv6");
    default:
      return false;
  }
}

const SPECIAL_4 = ranges("ipv4", [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["168.63.129.16", 32], // a cloud's host, which only its guests use
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
]);

const GLOBAL_6 = ranges("ipv6", [["2000::", 3]]);

const SPECIAL_6 = ranges("ipv6", [
  ["2001::", 23], // Teredo and other protocol assignments
  ["2001:db8::", 32],
  ["2002::", 16], // 6to4
  ["3fff::", 20],
]);

function ranges(family: "ipv4" | "ipv6", all: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of all) list.addSubnet(network, prefix, family);
  return list;
}
