import { deadline, whileAlive } from "../../../base/async/deadline.ts";
import { trustedText } from "../../../base/brand.ts";
import { messageOf } from "../../../base/errors.ts";
import { byteLength } from "../../../base/text/text.ts";
import type { Message } from "../../../protocol/message.ts";
import type { RequestContext, RequestHandler } from "../../../providers/middleware.ts";
import type { ModelRequest } from "../../../providers/provider.ts";
import { fence, UNTRUSTED_NOTICE } from "../../../safety/fence.ts";
import { transcript } from "./transcript.ts";

/** Time limit for a summary by a model. */
export const SUMMARY_MS_MAX = 120_000;

export interface SummaryTask {
  readonly messages: readonly Message[];
  /** Summary of what was before them. */
  readonly earlier: string;
  readonly request: ModelRequest;
  readonly context: RequestContext;
  readonly next: RequestHandler;
  /** Limit for the bytes that the model is given to read. */
  readonly inputBytesMax: number;
  readonly outputTokensMax: number;
  /** Limit for the summary: it is read no further. */
  readonly outputBytesMax: number;
}

/**
 * Asks the conversation's model to write down what mattered in it, as a separate request: without tools, with its own
 * limits of time and length, and counted like any other call.
 *
 * Returns undefined if it failed, took too long, or returned nothing.
 * @throws signal.reason if the turn was cancelled meanwhile, and the reason if it failed and the session has taken
 * another model meanwhile.
 */
export async function summarise(task: SummaryTask): Promise<string | undefined> {
  const { context, next, outputBytesMax } = task;
  const { world, signal, provider } = context;
  using limit = deadline(world.clock, SUMMARY_MS_MAX, signal);
  const request = summaryRequest(task);
  let text = "";
  try {
    const asked = next(request, { ...context, signal: limit.signal, purpose: "summary" });
    const stream = asked[Symbol.asyncIterator]();
    while (byteLength(text) <= outputBytesMax) {
      const { done, value } = await whileAlive(stream.next(), limit.signal);
      if (done === true) break;
      if (value.kind === "text") text += value.text;
    }
    if (byteLength(text) > outputBytesMax) await stream.return?.();
  } catch (thrown) {
    signal.throwIfAborted();
    context.modelReplaced?.throwIfAborted();
    const what = limit.reached ? `nothing came for ${SUMMARY_MS_MAX} ms` : messageOf(thrown);
    world.log.for("compaction").write("warn", "no summary", { provider: provider.name, what });
    return undefined;
  }
  return text.trim() === "" ? undefined : text.trim();
}

const INSTRUCTIONS = `You summarise the earlier part of a conversation between a user and a coding agent, so that the agent can go on without it.

Write plain text under these four headings, a few short lines each:
Goal: what the user wants, and why where that was said.
Decisions: what was decided or found out, with the reason, and what was tried and did not work.
Files touched: which files were read or changed, and what about them matters.
Open ends: what is unfinished, what comes next, what is unclear.

State only what the transcript says. Name files, commands, functions and numbers exactly. Leave out pleasantries.
${UNTRUSTED_NOTICE}`;

function summaryRequest({ messages, earlier, request, ...task }: SummaryTask): ModelRequest {
  const text = fence("summary", transcript(messages, earlier, task.inputBytesMax)) ?? "(nothing was said)";
  return {
    model: request.model,
    system: [{ name: "summary", text: trustedText(INSTRUCTIONS) }],
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text },
          { type: "text", text: "Summarise this transcript under the four headings." },
        ],
      },
    ],
    tools: [],
    outputTokensMax: task.outputTokensMax,
    cache: { prefix: false, messages: [] },
  };
}
