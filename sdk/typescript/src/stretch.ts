import type { Placed } from "./envelope.ts";
import { readEnvelope } from "./envelope.ts";
import { invalidAnswer, refusalOf, unreachable } from "./errors.ts";
import type { Http } from "./http.ts";
import type { Limits } from "./limits.ts";
import type { SseFrame } from "./sse.ts";
import { SseReader } from "./sse.ts";

/** The wanted events: those of a run, above the last received one. */
export interface Target {
  readonly session: string;
  readonly since: number;
  /** True: with the arguments of calls while the model writes them. */
  readonly args: boolean;
  readonly client: string | undefined;
  readonly signal: AbortSignal;
  /** Called whenever something has come: first when the engine has begun to answer. */
  readonly onSign: () => void;
}

/**
 * The events that one connection brings. It ends where the connection does, and throws what the engine refused with, or
 * EngineUnreachable. Leaving it closes the connection.
 */
export type OpenStretch = (target: Target) => AsyncGenerator<Placed, void>;

/** Events over server-sent events. As many are taken from the wire as are read here: a slow reader fills no memory. */
export function sseStretches(http: Http, limits: Limits): OpenStretch {
  return async function* sseStretch({ session, since, args, client, signal, onSign }) {
    const path = `/v1/sessions/${encodeURIComponent(session)}/events${args ? "?args=true" : ""}`;
    const headers = { "last-event-id": `${since}` };
    for await (const { event, data } of readFrames({ http, limits, path, headers, client, signal, onSign }))
      if (event === "message" || NAMES_KIND.test(event)) yield readEnvelope(data);
  };
}

export interface FramesTarget extends Pick<Target, "client" | "signal" | "onSign"> {
  readonly http: Http;
  readonly limits: Limits;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * The frames that one connection brings, read as `OpenStretch` says.
 * @throws CinchError the refusal in a frame named `refused`; EngineUnreachable.
 */
export async function* readFrames(target: FramesTarget): AsyncGenerator<SseFrame, void> {
  const { http, limits, path, headers, client, signal, onSign } = target;
  const body = await http.stream(path, headers, { signal, client });
  const reader = body.getReader();
  const frames = new SseReader(http.url, limits.answerBytesMax);
  const decoder = new TextDecoder();
  try {
    while (true) {
      const piece = await nextPiece(reader, http.url, limits.silenceMs);
      signal.throwIfAborted();
      if (piece === undefined) return;
      onSign();
      for (const frame of frames.take(decoder.decode(piece, { stream: true }))) {
        if (frame.event === "refused") throw refusalOf(refusal(frame.data, http.url), http.url);
        yield frame;
      }
    }
  } finally {
    // What breaks while it is let go is of no interest any more.
    await reader.cancel().catch(() => undefined);
  }
}

/** A frame is named by the kind of its event; engines that speak 0.2 name none. Other names are no events. */
const NAMES_KIND = /^[A-Z]/;

/** Undefined at the end. @throws CinchError EngineUnreachable after a silence that no heartbeat has broken. */
async function nextPiece(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  url: string,
  silenceMs: number,
): Promise<Uint8Array | undefined> {
  let silence: (() => void) | undefined;
  const silent = new Promise<"silent">((resolve) => {
    silence = () => resolve("silent");
  });
  const timer = setTimeout(() => silence?.(), silenceMs);
  try {
    const read = await Promise.race([reader.read(), silent]);
    if (read === "silent") throw unreachable(url, `its events bring nothing, for ${silenceMs} ms`);
    return read.done ? undefined : read.value;
  } catch (thrown) {
    if (thrown instanceof Error && thrown.name === "CinchError") throw thrown;
    throw unreachable(url, "the connection broke", thrown);
  } finally {
    clearTimeout(timer);
  }
}

function refusal(data: string, url: string): unknown {
  try {
    return JSON.parse(data);
  } catch (cause) {
    throw invalidAnswer(url, "a refusal that is no JSON", { cause });
  }
}
