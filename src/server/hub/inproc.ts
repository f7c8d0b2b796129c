import { defined } from "../../base/defined.ts";
import { HarnessError } from "../../base/errors.ts";
import type { AttachRequest } from "../../session/access/attach-request.ts";
import type { AttachedClient } from "../../session/access/client.ts";
import type { ServedFeatures } from "../../session/access/handshake.ts";
import { answerHandshake } from "../../session/access/handshake.ts";
import type { ServedConnection } from "../../session/engine-port.ts";
import type { Multiplexer } from "./multiplexer.ts";

/**
 * Connects a client in the same process ([A] § Transports, CTL-05): the same envelopes, order and refusals as on any
 * transport, and no token, since the trust boundary is the process.
 */
export function connectInproc(
  multiplexer: Multiplexer,
  request: AttachRequest,
  served: ServedFeatures,
): ServedConnection {
  const client = multiplexer.attach(request);
  const detached = new AbortController();
  let shaken = false;

  function assertReady(): void {
    if (!shaken) throw new HarnessError("HandshakeRequired", {});
    detached.signal.throwIfAborted();
  }

  const actingAs = (acting: AttachedClient): ServedConnection => ({
    clientId: client.id,
    identityClass: client.identityClass,
    async handshake(clientVersion) {
      const answer = answerHandshake(clientVersion, served);
      shaken = true;
      return answer;
    },
    async send(command) {
      assertReady();
      return await multiplexer.send(command, acting);
    },
    async attach(session, file) {
      assertReady();
      return await multiplexer.attachFile(session, file, client);
    },
    holdUpload: () => multiplexer.uploads.hold(),
    async query(query, signal) {
      assertReady();
      const until = signal === undefined ? detached.signal : AbortSignal.any([signal, detached.signal]);
      return await multiplexer.query(query, { ...client, signal: until });
    },
    subscribe(session, { since, signal, deltasMayWait, args }) {
      assertReady();
      const reader = { ...client, ...defined({ deltasMayWait, args }) };
      return multiplexer.subscribe(session, since, AbortSignal.any([signal, detached.signal]), reader);
    },
    news({ signal, ...wanted }) {
      assertReady();
      const until = AbortSignal.any([signal, detached.signal]);
      return multiplexer.news.read(wanted, { ...client, signal: until });
    },
    newsInBatches({ signal, ...wanted }) {
      assertReady();
      const until = AbortSignal.any([signal, detached.signal]);
      return multiplexer.news.inBatches(wanted, { ...client, signal: until });
    },
    async [Symbol.asyncDispose]() {
      detached.abort(new Error("the client has detached"));
    },
    over: (wire) => actingAs({ ...acting, wire }),
  });
  return actingAs(client);
}
