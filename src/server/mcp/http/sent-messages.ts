import type { EventStore, JSONRPCMessage } from "@modelcontextprotocol/server";

/** Messages, and characters of them, that are kept of one client for a stream that breaks. */
const MESSAGES_MAX = 1_024;
const CHARS_MAX = 8_388_608;

interface SentMessage {
  readonly id: number;
  readonly stream: string;
  readonly message: JSONRPCMessage;
  readonly chars: number;
}

/**
 * The messages that one client was last sent, for its `Last-Event-ID` (CTL-09). Older ones are gone: the client gets a
 * notice, and subscribes again with `?since=`, which goes back to the log.
 */
export class SentMessages implements EventStore {
  #sent: SentMessage[] = [];
  #chars = 0;
  #last = 0;

  async storeEvent(stream: string, message: JSONRPCMessage): Promise<string> {
    this.#last += 1;
    const chars = JSON.stringify(message).length;
    this.#sent.push({ id: this.#last, stream, message, chars });
    this.#chars += chars;
    while (this.#sent.length > MESSAGES_MAX || (this.#chars > CHARS_MAX && this.#sent.length > 1)) {
      this.#chars -= this.#sent.shift()?.chars ?? 0;
    }
    return `${this.#last}`;
  }

  async getStreamIdForEventId(id: string): Promise<string | undefined> {
    return this.streamOf(id);
  }

  streamOf(id: string): string | undefined {
    return this.#sent.find((each) => `${each.id}` === id)?.stream;
  }

  async replayEventsAfter(
    id: string,
    { send }: { readonly send: (id: string, message: JSONRPCMessage) => Promise<void> },
  ): Promise<string> {
    const seen = this.#sent.find((each) => `${each.id}` === id);
    if (seen === undefined) throw new Error("no message of this id is kept");
    for (const { id: next, stream, message } of [...this.#sent]) {
      // A stream begins with an empty message, which only names a position to resume from.
      if (next <= seen.id || stream !== seen.stream || !("jsonrpc" in message)) continue;
      await send(`${next}`, message);
    }
    return seen.stream;
  }
}
