import type { Connection, IdentityClass } from "../protocol/connection.ts";
import type { Scope } from "./scope.ts";

/** Accepts clients of one wire and gives each a connection to the engine; rules live above it, never in it. */
export interface Transport extends AsyncDisposable {
  readonly name: string;
}

/** What a transport is handed: a way to attach one client. Identity comes from the token, never from the wire. */
export type Attach = (client: AttachRequest) => Promise<Connection>;

export interface AttachRequest {
  readonly identityClass: IdentityClass;
  /** What it calls itself, for people: "cinch line client", "vscode". */
  readonly label: string;
  /** What its token allows. Absent: everything, as within one process. */
  readonly scope?: Scope;
}
