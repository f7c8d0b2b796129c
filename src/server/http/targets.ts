import { defined } from "../../base/defined.ts";
import { HarnessError } from "../../base/errors.ts";

/** Values of the flags about listening. */
export interface ListenFlags {
  /** `HOST:PORT`. */
  readonly listen?: string;
  readonly noListen?: boolean;
  readonly authTokenFile?: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
}

/** An address to listen at. TLS names files here; the listener reads them when it is opened. */
export type PlannedTarget =
  | { readonly kind: "unix"; readonly path: string }
  | { readonly kind: "loopback"; readonly hostname: string; readonly port: number; readonly tls?: TlsFiles }
  | { readonly kind: "lan"; readonly hostname: string; readonly port: number; readonly tls: TlsFiles };

export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
}

/** Bytes of a Unix socket's path on Linux, its end included; macOS has four fewer. */
const SOCKET_PATH_BYTES_MAX = 103;
const PORT_MAX = 65_535;
const LOOPBACK: ReadonlyMap<string, string> = new Map([
  ["127.0.0.1", "127.0.0.1"],
  ["localhost", "127.0.0.1"],
]);

/**
 * Returns the addresses to listen at (CTL-10): always the Unix socket; a port of this machine if asked for; any other
 * address only with TLS and with tokens that were made before.
 *
 * @param sockets paths for the Unix socket, the best first: the first that is short enough is taken.
 * @throws HarnessError UsageInvalid, which names the flag.
 */
export function plannedTargets(flags: ListenFlags, sockets: readonly string[]): readonly PlannedTarget[] {
  const { listen, noListen = false, tlsCert, tlsKey } = flags;
  if ((tlsCert === undefined) !== (tlsKey === undefined))
    throw unusable("--tls-cert and --tls-key belong together");
  if (noListen) {
    if (listen !== undefined) throw unusable("--no-listen and --listen contradict each other");
    return [];
  }
  const path = sockets.find((each) => new TextEncoder().encode(each).length <= SOCKET_PATH_BYTES_MAX);
  if (path === undefined)
    throw unusable(`the path of the control socket is longer than ${SOCKET_PATH_BYTES_MAX} bytes`);
  const unix = { kind: "unix", path } as const;
  if (listen === undefined) {
    if (tlsCert !== undefined) throw unusable("--tls-cert counts only with --listen");
    return [unix];
  }
  return [unix, tcpTarget(listen, flags)];
}

function tcpTarget(listen: string, { authTokenFile, tlsCert, tlsKey }: ListenFlags): PlannedTarget {
  const [, host = "", digits = ""] = /^(\[[0-9a-fA-F:.]+\]|[^:[\]\s/]+):(\d{1,5})$/.exec(listen) ?? [];
  const port = Number(digits);
  if (host === "" || port > PORT_MAX)
    throw unusable(`--listen takes HOST:PORT, not '${listen}'; such as 127.0.0.1:8421`);
  const tls = tlsCert === undefined || tlsKey === undefined ? undefined : { cert: tlsCert, key: tlsKey };
  const loopback = LOOPBACK.get(host.toLowerCase());
  if (loopback !== undefined) {
    return { kind: "loopback", hostname: loopback, port, ...defined({ tls }) };
  }
  // Traffic that others can read is no secret, and a code on a screen is for the person before it.
  if (tls === undefined)
    throw unusable(`--listen ${listen} needs --tls-cert and --tls-key: it is not a loopback address`);
  if (authTokenFile === undefined)
    throw unusable(`--listen ${listen} needs --auth-token-file: no token is issued to other machines`);
  return { kind: "lan", hostname: host.replace(/^\[|\]$/g, ""), port, tls };
}

function unusable(problem: string): HarnessError<"UsageInvalid"> {
  return new HarnessError("UsageInvalid", { problem });
}
