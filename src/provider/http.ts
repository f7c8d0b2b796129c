import { whileAlive } from "../base/deadline.ts";
import type { JsonObject } from "../base/json.ts";
import type { Clock } from "../base/world.ts";
import type { AuthorizedFetch, CredentialUse } from "./authorized-fetch.ts";
import { connectionError, plainWords } from "./connection-error.ts";
import { ProviderError } from "./error.ts";
import { ERROR_BODY_BYTES_MAX, isErrorBody, providerErrorFrom, readUpTo } from "./http-error.ts";

/**
 * How long each phase of an answer may last (ENG-22, R07). The phases have limits of their own, since a healthy
 * answer is long, and a dead connection is silent.
 */
export interface StreamLimits {
  /** From the call until the status line: name look-up, connection, TLS, and the provider's queue. */
  readonly headersMsMax: number;
  /** From the status line until the first byte of the answer. */
  readonly firstByteMsMax: number;
  /** Between two signs of life in the answer; a provider's ping counts. */
  readonly silenceMsMax: number;
  /** The whole answer, so that one that only pings ends too. */
  readonly answerMsMax: number;
  readonly answerBytesMax: number;
  /** How long the end of an answer that has told its finish is waited for, to keep the connection. */
  readonly drainMsMax: number;
}

export const STREAM_LIMITS: StreamLimits = {
  headersMsMax: 60_000,
  firstByteMsMax: 60_000,
  silenceMsMax: 120_000,
  answerMsMax: 30 * 60_000,
  answerBytesMax: 64 * 1_048_576,
  drainMsMax: 250,
};

/**
 * Limits for a server of the user's own: a model may have to be loaded first, and a long prompt read, before a small
 * machine sends its first byte.
 */
export const OWN_SERVER_LIMITS: Partial<StreamLimits> = {
  headersMsMax: 600_000,
  firstByteMsMax: 600_000,
  silenceMsMax: 300_000,
};

export interface Call {
  readonly provider: string;
  /** For the words of an error. */
  readonly model: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly credential: CredentialUse;
  readonly send: AuthorizedFetch;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly limits?: Partial<StreamLimits>;
}

export interface StreamCall extends Call {
  /** JSON in UTF-8. */
  readonly body: Uint8Array;
}

/** One answer as bytes. Disposing it ends the request and frees its socket, wherever it was. */
export interface ByteStream extends AsyncDisposable {
  /** May be read once. Leaving the loop does not end the request; disposing does. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /**
   * Reads what is left after the finish was told, within `drainMsMax`, so that the connection can serve the next
   * round: a body that was left unread closes it.
   */
  drain(): Promise<void>;
}

/**
 * Sends a request and opens the answer as a stream of bytes.
 *
 * @throws ProviderError for an answer that is no stream, a connection that fails, a phase that takes too long.
 * @throws signal.reason when cancelled.
 */
export async function openEventStream(call: StreamCall): Promise<ByteStream> {
  const { body } = call;
  const attempt = startAttempt(call);
  try {
    const response = await attempt.headers({
      method: "POST",
      headers: {
        ...call.headers,
        "content-type": "application/json",
        accept: "text/event-stream, application/json",
        // A compressed stream arrives in lumps, whenever a compressor's window is full.
        "accept-encoding": "identity",
      },
      body,
    });
    const type = response.headers.get("content-type") ?? "";
    if (response.status !== 200 || /json|html/.test(type)) throw await failure(response, call, attempt);
    return attempt.stream(response);
  } catch (thrown) {
    attempt.end();
    throw attempt.explain(thrown);
  }
}

/**
 * Fetches one JSON document: a catalogue, a token count. All of it must come within `headersMsMax`.
 *
 * @throws ProviderError as above, and where it is longer than `bytesMax`.
 */
export async function fetchText(
  call: Call & { readonly body?: JsonObject; readonly bytesMax: number },
): Promise<string> {
  const attempt = startAttempt(call);
  try {
    const response = await attempt.headers({
      headers: { ...call.headers, accept: "application/json", "content-type": "application/json" },
      ...(call.body === undefined ? {} : { method: "POST", body: JSON.stringify(call.body) }),
    });
    if (response.status !== 200) throw await failure(response, call, attempt);
    const { text, whole } = await attempt.within(readUpTo(response, call.bytesMax));
    if (whole) return text;
    throw malformed(call.provider, `a document of more than ${call.bytesMax} bytes`);
  } catch (thrown) {
    attempt.end();
    throw attempt.explain(thrown);
  } finally {
    attempt.settle();
  }
}

type Attempt = ReturnType<typeof startAttempt>;

interface Wire {
  readonly method?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** One request with its own abort, which the caller's signal and the limits all pull. */
function startAttempt(call: Call) {
  const limits = { ...STREAM_LIMITS, ...call.limits };
  const { clock, provider, signal } = call;
  const controller = new AbortController();
  const end = (reason?: unknown) => controller.abort(reason);
  const follow = () => end(signal.reason);
  signal.addEventListener("abort", follow, { once: true });
  if (signal.aborted) follow();

  let phase = limitPhase("connecting and waiting for its answer to begin", limits.headersMsMax);
  let phaseName = "";
  let phaseMs = 0;
  let aliveAtMs = 0;

  function limitPhase(name: string, ms: number): Disposable {
    return clock.timer(ms, () => {
      const fields = { provider, seconds: String(ms / 1_000), phase: name, attempts: "1" };
      end(new ProviderError("ProviderTimeout", fields, { transient: true }));
    });
  }
  function noteLife(name: string, ms: number): void {
    aliveAtMs = clock.monotonic();
    if (phaseName === name) return;
    phase[Symbol.dispose]();
    phaseName = name;
    phaseMs = ms;
    phase = watch(ms);
  }
  function watch(ms: number): Disposable {
    return clock.timer(ms, () => {
      const left = phaseMs - (clock.monotonic() - aliveAtMs);
      if (left > 0) {
        phase = watch(left);
        return;
      }
      const fields = { provider, seconds: String(phaseMs / 1_000), phase: phaseName, attempts: "1" };
      end(new ProviderError("ProviderTimeout", fields, { transient: true }));
    });
  }

  /** Ends all waiting; the request itself is over, or is ended by `end`. */
  function settle(): void {
    phase[Symbol.dispose]();
    signal.removeEventListener("abort", follow);
  }

  return {
    end,
    settle,
    headers(wire: Wire): Promise<Response> {
      const { credential, url, send } = call;
      return whileAlive(
        send({ ...wire, provider, url, credential, signal: controller.signal }),
        controller.signal,
      );
    },
    within: <Value>(promise: Promise<Value>) => whileAlive(promise, controller.signal),
    /** The reason of our own abort stands before whatever the runtime threw because of it. */
    explain(thrown: unknown): unknown {
      settle();
      if (signal.aborted) return signal.reason;
      if (controller.signal.reason instanceof ProviderError) return controller.signal.reason;
      return thrown instanceof ProviderError ? thrown : connectionError(thrown, call.provider, call.url);
    },
    stream(response: Response): ByteStream {
      phase[Symbol.dispose]();
      const reader = response.body?.getReader();
      const started = clock.monotonic();
      let bytes = 0;
      let ended = reader === undefined;

      async function read(): Promise<Uint8Array | undefined> {
        if (reader === undefined || ended) return undefined;
        controller.signal.throwIfAborted();
        if (bytes === 0) noteLife("waiting for the first byte", limits.firstByteMsMax);
        else noteLife("streaming its answer", limits.silenceMsMax);
        try {
          const { done, value } = await reader.read();
          controller.signal.throwIfAborted();
          ended = done;
          if (done) return undefined;
          bytes += value.length;
          return value;
        } catch (thrown) {
          end();
          if (signal.aborted) throw signal.reason;
          const { reason } = controller.signal;
          throw reason instanceof ProviderError ? reason : brokenOff(provider, plainWords(thrown), thrown);
        }
      }

      async function* chunks(): AsyncGenerator<Uint8Array> {
        for (let chunk = await read(); chunk !== undefined; chunk = await read()) {
          if (bytes > limits.answerBytesMax)
            throw brokenOff(provider, `it is above ${limits.answerBytesMax} bytes`);
          const ms = clock.monotonic() - started;
          if (ms > limits.answerMsMax)
            throw brokenOff(provider, `no end within ${limits.answerMsMax / 1_000} s`);
          yield chunk;
        }
      }

      return {
        chunks: chunks(),
        async drain() {
          if (ended) return;
          using _limit = clock.timer(limits.drainMsMax, () => end(new Error("drained for long enough")));
          try {
            while ((await read()) !== undefined) if (bytes > limits.answerBytesMax) break;
          } catch {
            // The answer was whole already; all that is lost is a connection.
          }
        },
        async [Symbol.asyncDispose]() {
          settle();
          if (ended) return;
          end(new Error("the answer was left"));
          await reader?.cancel().catch(() => undefined); // it may be broken already
        },
      };
    },
  };
}

async function failure(response: Response, call: Call, attempt: Attempt): Promise<ProviderError> {
  const { text: body, whole } = await attempt.within(readUpTo(response, ERROR_BODY_BYTES_MAX));
  const { status, headers } = response;
  const type = headers.get("content-type") ?? "no content type";
  if (status === 200 && !(whole && isErrorBody(body))) {
    return malformed(call.provider, `${type} in place of an event stream`);
  }
  const { provider, model } = call;
  return providerErrorFrom({ status, headers, body }, { provider, model, nowMs: call.clock.now() });
}

function brokenOff(provider: string, detail: string, cause?: unknown): ProviderError {
  return new ProviderError("StreamInterrupted", { provider, detail }, { transient: true, cause });
}

function malformed(provider: string, detail: string): ProviderError {
  return new ProviderError("StreamMalformed", { provider, detail });
}
