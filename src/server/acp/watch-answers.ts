import type { JsonRpcId, Stream } from "@agentclientprotocol/sdk/unstable";

export interface AnsweredStream {
  readonly stream: Stream;
  /** Calls back once the answer to a request was written, unless it was a refusal: messages about it come after it. */
  after(id: JsonRpcId, run: () => void): void;
}

/** Wraps a stream of messages to report when an answer has been written. */
export function watchAnswers(inner: Stream): AnsweredStream {
  const waiting = new Map<JsonRpcId, () => void>();
  const writer = inner.writable.getWriter();
  const writable: Stream["writable"] = new WritableStream({
    async write(message) {
      await writer.write(message);
      if ("method" in message) return;
      const run = waiting.get(message.id);
      waiting.delete(message.id);
      if ("result" in message) run?.();
    },
    close: () => writer.close(),
    abort: (reason) => writer.abort(reason),
  });
  return {
    stream: { readable: inner.readable, writable },
    after: (id, run) => void waiting.set(id, run),
  };
}
