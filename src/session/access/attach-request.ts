import type { IdentityClass } from "../../protocol/connection.ts";
import type { Scope } from "./scope.ts";

/** Request of a transport to attach a client. Identity comes from the token, never from the wire. */
export interface AttachRequest {
  readonly identityClass: IdentityClass;
  /** Name that the client gives itself, for people: "cinch line client", "vscode". */
  readonly label: string;
  /** Rights of its token. Absent: everything, as within one process. */
  readonly scope?: Scope;
}
