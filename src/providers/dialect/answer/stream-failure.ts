import { isObject, numberAt, objectAt, parseJson, stringAt } from "../../../base/json.ts";
import { head } from "../../../base/text/text.ts";
import { ProviderError } from "../../error.ts";
import { isErrorStatus, namedStatus } from "../../http/error-words.ts";
import { isErrorBody, isWebPage, pageTitle, presentable } from "../../http/http-error.ts";
import { readRefusal } from "../../http/refusal.ts";
import type { DialectDress } from "../dialect.ts";

const EXCERPT_UNITS_MAX = 100;
const POLICY_WORDS = new Set(["content_filter", "content_policy_violation", "cyber_policy", "1301"]);

/**
 * The failure that an error object inside a stream stands for, in any of the three dialects (PROV-02, PROV-03).
 *
 * Read in the same way as the body of a failed answer. What the caller has to mend is final; overload, rate limits
 * and everything unknown are transient, since the request itself had been accepted.
 */
export function streamFailure(error: unknown, dress: DialectDress): ProviderError {
  const { provider, model } = dress;
  const { message, code, status } = complaint(error);
  const detail = presentable(message);
  const traits = { status };
  const refusal = status === 402 ? "quota" : readRefusal(message, code);
  if (refusal === "overflow" || status === 413) {
    return new ProviderError("ContextOverflow", { model, detail }, traits);
  }
  if (refusal === "quota") return new ProviderError("ProviderQuotaExceeded", { provider, detail }, traits);
  if (POLICY_WORDS.has(code) || (refusal === "policy" && status === 403)) {
    return new ProviderError("ResponseRefused", { model, detail }, traits);
  }
  if (status === 401 || status === 403) {
    const source = "the configuration";
    return new ProviderError("ProviderKeyRefused", { provider, source, detail }, traits);
  }
  if (refusal === "unknown-model")
    return new ProviderError("UnknownModel", { provider, model, detail }, traits);
  const named = String(status ?? (code === "" ? "no code" : code));
  const isFinal = status !== undefined && status < 500 && status !== 408 && status !== 409 && status !== 429;
  return isFinal
    ? new ProviderError("ProviderRefused", { provider, status: named, detail }, traits)
    : new ProviderError(
        "ProviderFailed",
        { provider, status: named, detail },
        { ...traits, transient: true },
      );
}

/** The answer broke off: what had arrived is kept, and the same request may be sent again. */
export function interrupted(dress: DialectDress, detail: string): ProviderError {
  return new ProviderError("StreamInterrupted", { provider: dress.provider, detail }, { transient: true });
}

/** What came is not the protocol; another attempt may bring what is. */
export function malformed(dress: DialectDress, detail: string): ProviderError {
  return new ProviderError("StreamMalformed", { provider: dress.provider, detail }, { transient: true });
}

/**
 * The failure that a whole body stands for in which there was no event at all, though its type said so.
 *
 * An error object is that error. Anything else does not come from a model server, and trying again brings the same; only
 * an empty body may be the fault of a moment.
 */
export function bodyFailure(body: string, dress: DialectDress): ProviderError {
  const parsed = parseJson(body)?.value;
  if (isObject(parsed) && isErrorBody(body)) return streamFailure(parsed["error"] ?? parsed, dress);
  const isEmpty = body.trim() === "";
  const what = isEmpty ? "an empty answer" : pageWords(body);
  const detail = `${what} in place of an event stream. This is no model server, or not its address: check base_url`;
  return new ProviderError("StreamMalformed", { provider: dress.provider, detail }, { transient: isEmpty });
}

function pageWords(body: string): string {
  if (!isWebPage(body)) return `«${presentable(head(body, EXCERPT_UNITS_MAX))}»`;
  const title = pageTitle(body);
  return title === undefined ? "a web page" : `a web page, «${presentable(title)}»,`;
}

interface Complaint {
  readonly message: string;
  readonly code: string;
  readonly status: number | undefined;
}

function complaint(error: unknown): Complaint {
  // Never String(): what a server sent may have a `toString` of its own.
  const plain = typeof error === "string" ? error : JSON.stringify(error);
  if (!isObject(error)) return { message: plain, code: "", status: undefined };
  const number = numberAt(error, "code") ?? numberAt(error, "status");
  const words = [stringAt(error, "code"), stringAt(error, "type")].filter((word) => word !== undefined);
  const raw = stringAt(objectAt(error, "metadata"), "raw");
  const said = stringAt(error, "message") ?? stringAt(error, "detail") ?? plain;
  return {
    // OpenRouter passes on what the provider behind it said.
    message: raw === undefined ? said : `${said} (${raw})`,
    code: words[0] ?? (number === undefined ? "" : String(number)),
    status: isErrorStatus(number) ? number : namedStatus(error),
  };
}
