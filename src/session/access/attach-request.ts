import type { IdentityClass } from "../../protocol/connection.ts";
import type { Scope } from "./scope.ts";

/** A client as a transport attaches it. Identity comes from the token, never from the wire. */
export interface AttachRequest {
  readonly identityClass: IdentityClass;
  /** What it calls itself, for people: "cinch line client", "vscode". */
  readonly label: string;
  /** What its token allows. Absent: everything, as within one process. */
  readonly scope?: Scope;
}
