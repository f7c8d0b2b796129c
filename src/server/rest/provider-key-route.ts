import * as z from "zod";
import { Accepted } from "../../protocol/commands/commands.ts";
import { StoreProviderKey } from "../../protocol/commands/key-commands.ts";
import { jsonAnswer } from "../http/answers.ts";
import type { HttpRoute } from "../http/route.ts";
import { bodyOf } from "./parameters.ts";

/** Returns the address that takes the key of a provider, on the Unix socket only. */
export function providerKeyRoute(): HttpRoute {
  const body = StoreProviderKey.omit({ kind: true, provider: true });
  return {
    method: "POST",
    path: "/v1/providers/{provider}/key",
    access: "token",
    doc: {
      summary:
        "Stores the key of a provider, encrypted; the engine uses it at once. Only on the Unix socket, and only people.",
      params: { provider: z.string() },
      body,
      answers: { 200: { about: "It was stored", schema: Accepted } },
      refusals: [
        ...(["InvalidBody", "InvalidCommand", "HandshakeRequired", "Forbidden", "NotOnThisMachine"] as const),
        ...(["UnknownProvider", "ProviderKeyInvalid", "KeyStoreMissing"] as const),
        ...(["CredentialsLocked", "CredentialsDamaged", "CredentialsUnwritable"] as const),
        ...(["MachineKeyUnusable", "CredentialHelperFailed"] as const),
      ],
    },
    async handle(call) {
      const { key } = await bodyOf(call, body);
      const provider = call.params["provider"] ?? "";
      const connection = await call.connection();
      return jsonAnswer(200, await connection.send({ kind: "StoreProviderKey", provider, key }));
    },
  };
}
