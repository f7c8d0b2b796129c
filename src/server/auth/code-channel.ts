import type { ClaimsRequest } from "../../session/access/authority.ts";

/**
 * A channel on which a person sees a code and no program does: an attached client of class human, the controlling
 * terminal, a notification of the desktop (AUTH-03).
 *
 * A code must not go where other programs of the user can read it: not into arguments, variables, files or logs.
 */
export interface CodeChannel {
  readonly name: string;
  /**
   * Shows a code and what it would allow, until the signal aborts. Resolves to true if it is shown.
   *
   * An error, or no answer within 10 s, counts as not shown: the next channel is tried.
   */
  show(code: string, claims: ClaimsRequest, signal: AbortSignal): Promise<boolean>;
}
