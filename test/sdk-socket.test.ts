import { expect, test } from "bun:test";
import { connect } from "../sdk/typescript/src/index.ts";
import { PROTOCOL_VERSION } from "../src/protocol/version.ts";

/** A socket that opens and talks for ever, and never answers the handshake. */
class Talker {
  #isOpen = true;

  addEventListener(kind: string, listener: (event: never) => void): void {
    if (kind === "open") queueMicrotask(() => listener(undefined as never));
    if (kind !== "message") return;
    const say = () => {
      if (!this.#isOpen) return;
      listener({ data: '{"frame":"pong"}' } as never);
      setImmediate(say);
    };
    setImmediate(say);
  }

  send(): void {}

  close(): void {
    this.#isOpen = false;
  }
}

test("[SDK-01 CTL-07] a server that talks over its socket and never greets is given up like one that is silent", async () => {
  const client = await connect({
    url: "http://localhost",
    token: "t",
    wire: "websocket",
    WebSocket: Talker,
    // One object that answers the handshake, and what process it is.
    fetch: async () =>
      Response.json({
        protocol_version: PROTOCOL_VERSION,
        event_kinds: [],
        pid: 1,
        started_at: "2026-01-01T00:00:00Z",
      }),
    limits: { answerMs: 20, awayMs: 60, backoffMsMin: 1, backoffMsMax: 5 },
  });
  const events = client.session("sess_00000000000000000000000000").events();
  await expect(events.next()).rejects.toMatchObject({ reason: "EngineUnreachable" });
}, 300_000);
