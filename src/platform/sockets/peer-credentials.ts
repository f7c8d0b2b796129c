import type { Duplex } from "node:stream";
import { cFunctions } from "../c-library.ts";

const SOL_SOCKET = 1;
const SO_PEERCRED = 17;
const CREDENTIAL_BYTES = 12;
const SOCKET_OPTIONS = {
  getsockopt: { args: ["i32", "i32", "i32", "ptr", "ptr"], returns: "i32" },
} as const;

/** The function of the C library. Each load of it compiles a bridge. */
let socketOptions: ReturnType<typeof cFunctions<typeof SOCKET_OPTIONS>>;

/** The process that connected to a Unix socket, as the kernel recorded it at that moment. */
export interface PeerCredentials {
  readonly pid: number;
  readonly uid: number;
}

/**
 * Returns the process at the other end of a Unix socket (Linux). Undefined if unknown: on other systems, for another
 * kind of stream, or for a process without an id here.
 */
export function peerCredentials(stream: Duplex): PeerCredentials | undefined {
  const handle: unknown = Reflect.get(stream, "_handle");
  return peerOf(typeof handle === "object" && handle !== null ? Reflect.get(handle, "fd") : undefined);
}

/** Returns the process at the other end of an open socket, by its descriptor. */
export function peerOf(fd: unknown): PeerCredentials | undefined {
  if (typeof fd !== "number" || fd < 0) return undefined;
  const found = new Int32Array(CREDENTIAL_BYTES / Int32Array.BYTES_PER_ELEMENT);
  const length = new Uint32Array([CREDENTIAL_BYTES]);
  socketOptions ??= cFunctions(SOCKET_OPTIONS);
  if (socketOptions?.getsockopt(fd, SOL_SOCKET, SO_PEERCRED, found, length) !== 0) return undefined;
  const [pid = 0, uid = -1] = found;
  return length[0] === CREDENTIAL_BYTES && pid > 0 && uid >= 0 ? { pid, uid } : undefined;
}
