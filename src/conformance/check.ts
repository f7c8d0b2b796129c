import type { JsonObject } from "../base/json.ts";
import { canonicalJson } from "../base/json.ts";
import { Mismatch } from "./mismatch.ts";
import type { CommandAnswer } from "./transports/transport.ts";

/** Compares two values as JSON. @throws Mismatch if they differ. */
export function assertSame(what: string, got: unknown, expected: unknown): void {
  const [wanted, actual] = [canonicalJson(expected), canonicalJson(got)];
  if (wanted !== actual) throw new Mismatch(what, wanted, actual);
}

/** Asserts a condition. @throws Mismatch if it is false. */
export function assertHolds(
  what: string,
  isSo: boolean,
  details: { readonly expected: string; readonly got: unknown },
): void {
  if (!isSo) throw new Mismatch(what, details.expected, shown(details.got));
}

/** Returns the body of a command's answer. @throws Mismatch if the command was refused. */
export function assertAccepted(what: string, answer: CommandAnswer): JsonObject {
  if (answer.kind === "accepted") return answer.body;
  throw new Mismatch(what, "it is accepted", shownAnswer(answer));
}

/** Asserts a refusal. @throws Mismatch if the answer was accepted, or has another reason or status. */
export function assertRefused(
  what: string,
  answer: CommandAnswer,
  reasons: readonly string[],
  status?: number,
): void {
  const one = reasons.length === 0 ? "with a reason" : `with ${reasons.join(" or ")}`;
  const wanted = `it is refused ${one}${status === undefined ? "" : ` (${status})`}`;
  if (answer.kind === "accepted") throw new Mismatch(what, wanted, shownAnswer(answer));
  const isReason = reasons.length === 0 ? answer.reason !== "" : reasons.includes(answer.reason);
  const isStatus = status === undefined || answer.status === undefined || answer.status === status;
  if (isReason && isStatus && answer.message !== "") return;
  throw new Mismatch(what, `${wanted}, with a message`, shownAnswer(answer));
}

function shownAnswer(answer: CommandAnswer): string {
  if (answer.kind === "accepted") return `accepted: ${shown(answer.body)}`;
  const { reason, message, status } = answer;
  return `refused with ${reason === "" ? "no reason" : reason}${status === undefined ? "" : ` (${status})`}: ${message}`;
}

function shown(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? String(value));
}
