import { agent, MessageTooLargeError, methods, ndJsonStream } from "@agentclientprotocol/sdk/unstable";
import { HarnessError } from "../../base/errors.ts";
import type { EditorDependencies } from "./editor/editor.ts";
import { Editor } from "./editor/editor.ts";
import { watchAnswers } from "./watch-answers.ts";

/** A longer message ends the connection: it is unknown which request it was. */
export const ACP_MESSAGE_BYTES_MAX = 32 * 1024 * 1024;

export interface AcpDependencies extends EditorDependencies {
  /** Messages of the editor, one a line. */
  readonly input: ReadableStream<Uint8Array>;
  readonly output: WritableStream<Uint8Array>;
  /** Ends the service. */
  readonly signal: AbortSignal;
}

/**
 * Serves one editor that speaks the Agent Client Protocol, version 1, over a pair of byte streams, as one client of an
 * engine (CTL-16, CTL-20). Resolves when the editor has left; running turns then continue if the engine does.
 *
 * The person at the editor answers its questions: it is a client of class human. A program that could start this for
 * them could start any other client of theirs too; a running engine is reached as its owner, or not at all.
 * @throws HarnessError BodyTooLarge for a message above 32 MiB.
 */
export async function serveAcp(parts: AcpDependencies): Promise<void> {
  const answered = watchAnswers(
    ndJsonStream(parts.output, parts.input, { maxMessageBytes: ACP_MESSAGE_BYTES_MAX }),
  );
  const editor = new Editor(parts, answered);
  const connection = serving(editor).connect(answered.stream);
  // At once when it closes, and before pending answers are rejected: leaving denies nothing.
  connection.signal.addEventListener("abort", () => editor.leave(), { once: true });
  const stop = () => connection.close(parts.signal.reason);
  if (parts.signal.aborted) stop();
  parts.signal.addEventListener("abort", stop, { once: true });
  try {
    await connection.closed;
  } finally {
    parts.signal.removeEventListener("abort", stop);
    await editor[Symbol.asyncDispose]();
  }
  const { reason } = connection.signal;
  if (reason instanceof MessageTooLargeError)
    throw new HarnessError("BodyTooLarge", { limit: String(ACP_MESSAGE_BYTES_MAX) }, { cause: reason });
}

/** Returns an agent with a handler for each request that cinch serves: `docs/acp.md` lists the others. */
function serving(editor: Editor) {
  const { session: on, initialize, auth } = methods.agent;
  const asked = <Answer>(run: () => Promise<Answer>) => editor.withRequestErrors(run);
  return agent({ name: "cinch" })
    .onRequest(initialize, ({ params }) => editor.initialize(params))
    .onRequest(auth.status, () => editor.authStatus())
    .onRequest(on.new, ({ params, client, requestId }) =>
      asked(() => editor.begin(params, { client, requestId })),
    )
    .onRequest(on.load, ({ params, client, requestId }) =>
      asked(() => editor.load(params, { client, requestId, isShown: true })),
    )
    .onRequest(on.resume, ({ params, client, requestId }) =>
      asked(() => editor.load(params, { client, requestId, isShown: false })),
    )
    .onRequest(on.fork, ({ params, client, requestId }) =>
      asked(() => editor.fork(params, { client, requestId })),
    )
    .onRequest(on.list, ({ params }) => asked(() => editor.list(params)))
    .onRequest(on.status, ({ params }) => asked(() => editor.status(params.sessionId)))
    .onRequest(on.delete, ({ params }) => asked(() => editor.delete(params.sessionId)))
    .onRequest(on.setTitle, ({ params }) => asked(() => editor.setTitle(params)))
    .onRequest(on.archive, ({ params }) => asked(() => editor.archive(params.sessionId, true)))
    .onRequest(on.unarchive, ({ params }) => asked(() => editor.archive(params.sessionId, false)))
    .onRequest(on.close, ({ params }) => asked(() => editor.close(params.sessionId)))
    .onRequest(on.setMode, ({ params }) => asked(() => editor.setMode(params)))
    .onRequest(on.setConfigOption, ({ params }) => asked(() => editor.setOption(params)))
    .onRequest(on.prompt, ({ params, signal }) => asked(() => editor.prompt(params, signal)))
    .onNotification(on.cancel, ({ params }) => editor.cancel(params.sessionId));
}
