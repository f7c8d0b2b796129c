import * as z from "zod";
import { Handshake } from "../../protocol/handshake.ts";
import { ClientIdSchema } from "../../protocol/ids.ts";
import { PROTOCOL_VERSION } from "../../protocol/version.ts";
import { answerHandshake } from "../../session/access/handshake.ts";
import type { EnginePort } from "../../session/engine-port.ts";
import { jsonAnswer } from "../http/answers.ts";
import type { HttpRoute } from "../http/route.ts";
import { bodyOf, singleParameter } from "./parameters.ts";

/** Routes of the handshake (CTL-04), and of further clients of one token. */
export function clientRoutes(engine: Pick<EnginePort, "served">): readonly HttpRoute[] {
  return [
    {
      method: "GET",
      path: "/v1/handshake",
      access: "public",
      doc: {
        summary:
          "What this engine speaks. With a token it is the handshake of the client that asks, which comes before any command.",
        query: {
          version: { about: "The protocol version of the client; absent: this one.", schema: z.string() },
        },
        answers: { 200: { about: "Versions, kinds and features", schema: Handshake } },
        refusals: ["HandshakeVersionMismatch"],
      },
      async handle(call) {
        const version = singleParameter(call.query, "version") ?? PROTOCOL_VERSION;
        if (call.grant === undefined) return jsonAnswer(200, answerHandshake(version, engine.served));
        return jsonAnswer(200, await call.handshake(version));
      },
    },
    {
      method: "POST",
      path: "/v1/clients",
      access: "token",
      doc: {
        summary:
          "Makes another client for a shared token, used by X-Harness-Client. The request is also its handshake.",
        body: NewClient,
        answers: {
          201: { about: "Its id", schema: z.object({ client: ClientIdSchema, handshake: Handshake }) },
        },
        refusals: ["InvalidBody", "TooManyClients", "HandshakeVersionMismatch"],
      },
      async handle(call) {
        const { label = "http", version = PROTOCOL_VERSION } = await bodyOf(call, NewClient);
        return jsonAnswer(201, await call.newClient(label, version));
      },
    },
  ];
}

const NewClient = z.object({
  /** Name that it gives itself, for people. */
  label: z.string().min(1).max(100).optional(),
  /** Its protocol version; absent: this one. */
  version: z.string().optional(),
});
