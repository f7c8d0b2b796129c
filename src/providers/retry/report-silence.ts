import { reasonText } from "../../base/reasons.ts";
import type { RequestContext } from "../middleware.ts";
import type { Silence } from "../provider.ts";

/**
 * Reports a provider's silences as notices of the running turn: clients learn what it waits for and the
 * limit (R07).
 */
export function reportSilence(context: RequestContext): (silence: Silence) => void {
  return ({ phase, ms, msMax }) => {
    const fields = {
      provider: context.provider.name,
      seconds: wholeSeconds(ms),
      phase,
      limit: wholeSeconds(msMax),
    };
    const message = reasonText("ProviderSilent", fields);
    const details = { silentMs: Math.round(ms), limitMs: msMax };
    context.emit({
      kind: "Error",
      payload: { reason: "ProviderSilent", message, details, severity: "notice" },
    });
  };
}

function wholeSeconds(ms: number): string {
  return String(Math.round(ms / 1_000));
}
