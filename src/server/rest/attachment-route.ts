import * as z from "zod";
import { defined } from "../../base/defined.ts";
import { ATTACHMENT_BYTES_MAX } from "../../protocol/commands/run-limits.ts";
import { AttachmentInfo } from "../../protocol/content.ts";
import { SessionIdSchema } from "../../protocol/ids.ts";
import { jsonAnswer } from "../http/answers.ts";
import type { HttpRoute } from "../http/route.ts";
import { sessionOf, singleParameter } from "./parameters.ts";

/** Returns the address that takes the bytes of a file for inputs of a session. */
export function attachmentRoute(): HttpRoute {
  return {
    method: "POST",
    path: "/v1/sessions/{id}/attachments",
    access: "token",
    takesBytes: true,
    doc: {
      summary:
        "Stores a file for inputs of a session: a block `{type: attachment, id}` of an input stands for it. The body is the file, at most 20 MiB.",
      params: { id: SessionIdSchema },
      query: { name: { about: "The name of the file.", schema: z.string() } },
      bytesBody: true,
      answers: { 201: { about: "The file as it is kept", schema: AttachmentInfo } },
      refusals: [
        ...(["InvalidSessionID", "InvalidBody", "InvalidCommand", "HandshakeRequired", "Forbidden"] as const),
        "UnknownSession",
        "UploadsBusy",
      ],
    },
    async handle(call) {
      const sessionId = sessionOf(call);
      const connection = await call.connection();
      using hold = connection.holdUpload();
      const bytes = await call.bytes(ATTACHMENT_BYTES_MAX, (count) => hold.add(count));
      const name = singleParameter(call.query, "name") ?? "";
      const mediaType = call.request.headers.get("content-type") ?? undefined;
      const info = await connection.attach(sessionId, { name, bytes, ...defined({ mediaType }) });
      return jsonAnswer(201, info);
    },
  };
}
