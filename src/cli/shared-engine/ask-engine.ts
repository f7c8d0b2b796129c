import { parseJson } from "../../base/json.ts";
import type { Clock } from "../../base/world.ts";
import { answerText, refusalFromBody, unreachableError } from "../../client/remote/server-frames.ts";
import type { EngineTransport } from "../../platform/sockets/engine-transport.ts";
import type { AttachRequest } from "../../session/access/attach-request.ts";
import type { EngineTokens } from "./engine-tokens.ts";

/** Time limit for one answer. */
const ANSWER_MS_MAX = 30_000;

export interface AskEngineDependencies {
  /** `http://HOST:PORT`, also for a Unix socket. */
  readonly url: string;
  readonly wire: EngineTransport;
  readonly tokens: EngineTokens;
  readonly clock: Clock;
}

/** Sends a request to one address of the engine. @throws HarnessError its refusal, EngineUnreachable. */
export type AskEngine = (path: string, request: AskRequest) => Promise<unknown>;
export interface AskRequest extends Pick<AttachRequest, "identityClass" | "scope"> {
  readonly signal?: AbortSignal;
  /** Sent as the JSON body of a POST. Default: a GET. */
  readonly body?: unknown;
}

const JSON_HEADERS = { "content-type": "application/json" };

/** Opens requests to one engine, each with a valid token. */
export function askEngine({ url, wire, tokens, clock }: AskEngineDependencies): AskEngine {
  return async (path, { signal, body: sent, ...who }) => {
    const limit = new AbortController();
    using _timer = clock.timer(ANSWER_MS_MAX, () => limit.abort(new Error("it does not answer")));
    const until = signal === undefined ? limit.signal : AbortSignal.any([signal, limit.signal]);
    const token = await tokens.tokenFor(who);
    let answer: Response;
    let text: string;
    try {
      answer = await wire.fetch(new URL(path, url).href, {
        headers: { "x-harness-token": token, ...(sent === undefined ? {} : JSON_HEADERS) },
        ...(sent === undefined ? {} : { method: "POST", body: JSON.stringify(sent) }),
        signal: until,
      });
      text = await answerText(answer);
    } catch (thrown) {
      signal?.throwIfAborted();
      throw unreachableError(url, thrown);
    }
    const body = parseJson(text)?.value;
    if (body === undefined)
      throw unreachableError(url, new Error(`it answers with ${answer.status} and no JSON`));
    if (!answer.ok) throw refusalFromBody(body);
    return body;
  };
}
