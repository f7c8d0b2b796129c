import { AssertionError } from "../../base/assert.ts";
import { HarnessError, messageOf } from "../../base/errors.ts";
import { codeOf } from "../../base/world.ts";
import { isLoopback } from "../../safety/safe-url.ts";
import { ProviderError } from "../error.ts";
import { presentableMessage } from "./http-error.ts";

/**
 * Converts the failure of a request without an answer to a ProviderError; errors of cinch pass unchanged.
 *
 * A refused connection on this machine and an invalid certificate stay wrong, so they are final. Every other network
 * failure is transient.
 */
export function connectionError(thrown: unknown, provider: string, url: string): unknown {
  if (!(thrown instanceof Error) || thrown instanceof HarnessError || thrown instanceof AssertionError) {
    return thrown;
  }
  const target = URL.canParse(url) ? new URL(url) : undefined;
  const code = codeOf(thrown);
  const hopeless =
    code === undefined ||
    /CERT|TLS|SELF_SIGNED|UNABLE_TO/.test(code) ||
    (code === "ECONNREFUSED" && target !== undefined && isLoopback(target));
  const fields = { provider, url: target?.origin ?? url, detail: describeNetworkError(thrown) };
  return new ProviderError("ProviderUnreachable", fields, { transient: !hopeless, cause: thrown });
}

/** Returns a network failure in plain words. The runtime's messages give advice about the runtime's own options. */
export function describeNetworkError(thrown: unknown): string {
  const known = NETWORK_ERROR_TEXTS.get(codeOf(thrown) ?? "");
  return known ?? presentableMessage(messageOf(thrown).replace(/ ?For more information, pass .*/, ""));
}

const NETWORK_ERROR_TEXTS: ReadonlyMap<string, string> = new Map([
  ["ECONNREFUSED", "nothing listens there"],
  ["ECONNRESET", "the connection was closed"],
  ["ENOTFOUND", "there is no such host name"],
  ["EAI_AGAIN", "the host name could not be looked up"],
  ["ETIMEDOUT", "the connection timed out"],
  ["InvalidHTTPResponse", "it does not speak HTTP"],
]);
