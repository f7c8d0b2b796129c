import { isObject, numberAt, objectAt, parseJson, stringAt } from "../../../base/json.ts";
import { head } from "../../../base/text/text.ts";
import { ProviderError } from "../../error.ts";
import { isErrorStatus, namedStatus } from "../../http/error-words.ts";
import { isErrorBody, isWebPage, pageTitle, presentableMessage } from "../../http/http-error.ts";
import { classifyRefusal } from "../../http/refusal.ts";
import type { DialectContext } from "../dialect.ts";

const EXCERPT_UNITS_MAX = 100;
const POLICY_WORDS = new Set(["content_filter", "content_policy_violation", "cyber_policy", "1301"]);

/**
 * Returns the failure for an error object inside a stream, in any of the three dialects (PROV-02, PROV-03).
 *
 * It is read like the body of a failed answer. An error that the caller must fix is final. Overload, rate limits and
 * unknown errors are transient, since the request itself was accepted.
 */
export function streamFailure(error: unknown, context: DialectContext): ProviderError {
  const { provider, model } = context;
  const { message, code, status } = complaint(error);
  const detail = presentableMessage(message);
  const traits = { status };
  const refusal = status === 402 ? "quota" : classifyRefusal(message, code);
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

/** Returns the error for an answer that broke off. Content so far is kept, and the same request may be sent again. */
export function streamInterrupted(context: DialectContext, detail: string): ProviderError {
  return new ProviderError("StreamInterrupted", { provider: context.provider, detail }, { transient: true });
}

/** Returns the error for data outside the protocol. Another attempt may succeed. */
export function streamMalformed(context: DialectContext, detail: string): ProviderError {
  return new ProviderError("StreamMalformed", { provider: context.provider, detail }, { transient: true });
}

/**
 * Returns the failure for a whole body without any event, despite its content type.
 *
 * An error object becomes that error. Anything else does not come from a model server, and a retry brings the same.
 * Only an empty body may be transient.
 */
export function bodyFailure(body: string, context: DialectContext): ProviderError {
  const parsed = parseJson(body)?.value;
  if (isObject(parsed) && isErrorBody(body)) return streamFailure(parsed["error"] ?? parsed, context);
  const isEmpty = body.trim() === "";
  const what = isEmpty ? "an empty answer" : pageWords(body);
  const detail = `${what} in place of an event stream. This is no model server, or not its address: check base_url`;
  return new ProviderError("StreamMalformed", { provider: context.provider, detail }, { transient: isEmpty });
}

function pageWords(body: string): string {
  if (!isWebPage(body)) return `«${presentableMessage(head(body, EXCERPT_UNITS_MAX))}»`;
  const title = pageTitle(body);
  return title === undefined ? "a web page" : `a web page, «${presentableMessage(title)}»,`;
}

interface Complaint {
  readonly message: string;
  readonly code: string;
  readonly status: number | undefined;
}

function complaint(error: unknown): Complaint {
  // Never String(): data of a server may contain a `toString` of its own.
  const plain = typeof error === "string" ? error : JSON.stringify(error);
  if (!isObject(error)) return { message: plain, code: "", status: undefined };
  const number = numberAt(error, "code") ?? numberAt(error, "status");
  const words = [stringAt(error, "code"), stringAt(error, "type")].filter((word) => word !== undefined);
  const raw = stringAt(objectAt(error, "metadata"), "raw");
  const complaintText = stringAt(error, "message") ?? stringAt(error, "detail") ?? plain;
  return {
    // OpenRouter forwards the upstream provider's message.
    message: raw === undefined ? complaintText : `${complaintText} (${raw})`,
    code: words[0] ?? (number === undefined ? "" : String(number)),
    status: isErrorStatus(number) ? number : namedStatus(error),
  };
}
