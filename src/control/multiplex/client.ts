import type { ClientId } from "../../base/ids.ts";
import type { IdentityClass } from "../../protocol/connection.ts";
import type { Scope } from "../scope.ts";

/** One attached client as the multiplexer knows it: who it is, never how it is wired ([A] hard rule 7). */
export interface AttachedClient {
  readonly id: ClientId;
  readonly identityClass: IdentityClass;
  readonly label: string;
  /** What it may do; absent: everything. */
  readonly scope?: Scope;
}
