import type { IdentityClass } from "../../protocol/connection.ts";
import type { TransportKind } from "./authority.ts";
import type { Scope } from "./scope.ts";

/** Way by which a client came to the engine. `process`: it runs in the engine's own process. */
export type ClientWire = TransportKind | "process";

/** Request of a transport to attach a client. Identity comes from the token, never from the wire. */
export interface AttachRequest {
  readonly identityClass: IdentityClass;
  /** Name that the client gives itself, for people: "cinch line client", "vscode". */
  readonly label: string;
  /** Rights of its token. Absent: everything, as within one process. */
  readonly scope?: Scope;
  /** Set by the transport itself, never by its client. Absent: unknown, which is allowed nothing that depends on it. */
  readonly wire?: ClientWire;
}
