import type {
  ClientConnection,
  CreateElicitationRequest,
  CreateElicitationResponse,
  PromptResponse,
  RequestPermissionRequest,
  RequestPermissionResponse,
  SessionUpdate,
} from "@agentclientprotocol/sdk/unstable";
import { client, ndJsonStream, RequestError } from "@agentclientprotocol/sdk/unstable";

/** An editor as the official SDK makes one, at the other end of two byte streams. */
export interface AcpEditor {
  readonly connection: ClientConnection;
  readonly agent: ClientConnection["agent"];
  /** Everything that it was told of its sessions, in order. */
  readonly updates: { readonly sessionId: string; readonly update: SessionUpdate }[];
  /** Every question that it was asked. */
  readonly questions: AskedQuestion[];
  /** Resolves with the question of this number, counted from 1. */
  question(nth?: number): Promise<AskedQuestion>;
  /** Resolves once an update was told that fits; looks at what was told already, too. */
  told(fits: (update: SessionUpdate) => boolean): Promise<SessionUpdate>;
  /** Makes the handshake and begins a session. */
  begin(cwd: string): Promise<string>;
  prompt(sessionId: string, text: string): Promise<PromptResponse>;
}

export interface AskedQuestion {
  readonly request: RequestPermissionRequest;
  /** Aborts when the agent takes it back. */
  readonly signal: AbortSignal;
  /** Any answer, also one that no editor should give; an error is thrown. */
  answer(response: unknown): void;
  choose(optionId: string): void;
}

/** Parts of an editor that only some have. */
export interface EditorParts {
  /** Answers with the content of a file as the person sees it. */
  readonly readTextFile?: (path: string) => string | Promise<string>;
  /** Answers a form. */
  readonly elicit?: (request: CreateElicitationRequest) => CreateElicitationResponse;
}

export function acpEditor(
  output: WritableStream<Uint8Array>,
  input: ReadableStream<Uint8Array>,
  parts: EditorParts = {},
): AcpEditor {
  const updates: { sessionId: string; update: SessionUpdate }[] = [];
  const questions: AskedQuestion[] = [];
  const waiting = new Set<() => void>();
  const wake = () => {
    for (const each of waiting) each();
  };
  const connection = client({ name: "test" })
    .onNotification("session/update", ({ params: { sessionId, update } }) => {
      updates.push({ sessionId, update });
      wake();
    })
    .onRequest("session/request_permission", async ({ params, signal }) => {
      const { promise, resolve } = Promise.withResolvers<unknown>();
      const answer = (response: unknown) => resolve(response);
      const choose = (optionId: string) => answer({ outcome: { outcome: "selected", optionId } });
      questions.push({ request: params, signal, answer, choose });
      wake();
      signal.addEventListener("abort", () => answer({ outcome: { outcome: "cancelled" } }));
      const response = await promise;
      if (response instanceof Error) throw response;
      return response as RequestPermissionResponse; // also what is none
    })
    .onRequest("fs/read_text_file", async ({ params: { path } }) => {
      if (parts.readTextFile === undefined) throw RequestError.methodNotFound("fs/read_text_file");
      return { content: await parts.readTextFile(path) };
    })
    .onRequest("elicitation/create", ({ params }) => {
      if (parts.elicit === undefined) throw RequestError.methodNotFound("elicitation/create");
      return parts.elicit(params);
    })
    .connect(ndJsonStream(output, input));

  async function found<Value>(look: () => Value | undefined): Promise<Value> {
    while (true) {
      const value = look();
      if (value !== undefined) return value;
      connection.signal.throwIfAborted();
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const fail = () => reject(connection.signal.reason);
      connection.signal.addEventListener("abort", fail, { once: true });
      waiting.add(resolve);
      await promise.finally(() => {
        waiting.delete(resolve);
        connection.signal.removeEventListener("abort", fail);
      });
    }
  }

  const { agent } = connection;
  return {
    connection,
    agent,
    updates,
    questions,
    question: (nth = 1) => found(() => questions[nth - 1]),
    told: (fits) => found(() => updates.find(({ update }) => fits(update))?.update),
    async begin(cwd) {
      await agent.request("initialize", { protocolVersion: 1, clientInfo: { name: "test", version: "1" } });
      return (await agent.request("session/new", { cwd, mcpServers: [] })).sessionId;
    },
    prompt: (sessionId, text) =>
      agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] }),
  };
}

/** The text of all chunks of one kind, as an editor shows it. */
export function textTold(
  { updates }: Pick<AcpEditor, "updates">,
  kind: "agent_message_chunk" | "agent_thought_chunk" | "user_message_chunk" = "agent_message_chunk",
): string {
  return updates
    .map(({ update }) =>
      update.sessionUpdate === kind && update.content.type === "text" ? update.content.text : "",
    )
    .join("");
}
