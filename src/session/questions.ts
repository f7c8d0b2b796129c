import type { ClientId } from "../base/ids.ts";
import type { PayloadOf } from "../protocol/events/events.ts";

/** Time limit of a question, unless the profile sets another ([A] § Observability). */
export const PERMISSION_TIMEOUT_MS = 60_000;

/**
 * Asks a person one question and waits for the answer: trust acknowledgements, orphaned calls, plan approval,
 * elicitation, re-runs outside the sandbox. One mechanism for all of them (`Asked` and `Answered` events).
 *
 * If nobody can answer it resolves to `nobody` at once; after the time limit to `timeout`. It never hangs.
 */
export type Ask = (question: NewQuestion, signal: AbortSignal) => Promise<AskOutcome>;

export type NewQuestion = Omit<PayloadOf<"Asked">, "askId">;

export type AskOutcome =
  | { readonly kind: "answered"; readonly answer: unknown; readonly by: ClientId }
  /** `by`: client that said, before the time was over, that nobody will answer. */
  | { readonly kind: "timeout"; readonly afterMs: number; readonly by?: ClientId | undefined }
  | { readonly kind: "nobody" };

/** Asks people for a permission; the answer has one of the four forms (PERM-03). */
export type AskPermission = (request: PermissionQuestion, signal: AbortSignal) => Promise<PermissionOutcome>;

export type PermissionQuestion = Omit<PayloadOf<"PermissionRequested">, "originator"> & {
  readonly originator: ClientId;
};

export type PermissionOutcome =
  | {
      readonly kind: "answered";
      readonly decision: "allow" | "deny";
      readonly scope: "once" | "argv_glob" | "tool";
      readonly rule?: string;
      /** Allowed in the sandbox with the hosts that the question offered. */
      readonly hosts?: true;
      /** Allowed in part: ids of the accepted hunks. */
      readonly hunks?: readonly string[];
      /** Words of the person for the model. */
      readonly words?: string;
      readonly by: ClientId;
    }
  | { readonly kind: "timeout"; readonly afterMs: number }
  /** No person can answer: an unattended run. */
  | { readonly kind: "nobody" };
