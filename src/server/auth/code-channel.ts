import type { ClaimsRequest } from "../../session/access/authority.ts";

/**
 * A place where a person sees a code and no program does: an attached client of class human, the controlling terminal,
 * a notification of the desktop (AUTH-03).
 *
 * A code must not go where other programs of the user can read it: not into arguments, variables, files or logs.
 */
export interface CodeChannel {
  readonly name: string;
  /**
   * Shows a code beside what it would allow, until the signal aborts. Tells whether it is on show.
   *
   * What it throws, or no answer within 10 s, counts as not shown: the next channel is tried.
   */
  show(code: string, claims: ClaimsRequest, signal: AbortSignal): Promise<boolean>;
}
