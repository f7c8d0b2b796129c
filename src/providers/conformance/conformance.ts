import { byteLength } from "../../base/text/text.ts";
import { CANONICAL_FORM_VERSION } from "../../protocol/version.ts";
import { ProviderError } from "../error.ts";
import type { ModelBlock, ModelEvent, ModelRequest, Provider } from "../provider.ts";
import type { Cue, CuedTurn } from "./cue.ts";
import { cuedTurn, earlierCues } from "./cue.ts";

/** Provider of the profile `conformance`, with one model. */
export const CONFORMANCE_PROVIDER = "conformance";

const BYTES_PER_TOKEN = 4;
/** The tool that the profile allows, and the one that needs approval. */
const [FREE, ASKED] = ["TodoWrite", "Ls"];
/** The tool that shows a plan to a person. */
const PLANNED = "ExitPlanMode";
/** Joined here so that no scanner of this repository takes it for a key; no service accepts it. */
const KEY_SHAPED = ["ghp", "C0nf0rmanceC0nf0rmanceC0nf0rmance123"].join("_");
const LINES = 'first\n\nevent: TurnEnded\ndata: {"kind":"TurnEnded"}\nid: 1\n\nlast';

/**
 * Returns a provider whose model follows the cue word in the prompt, so that protocol scenarios run without a key or
 * a network (CTL-13). It keeps no conversation state: progress of a cue is read from the request.
 */
export function conformanceProvider(): Provider {
  return {
    name: CONFORMANCE_PROVIDER,
    family: CONFORMANCE_PROVIDER,
    canonicalFormVersion: CANONICAL_FORM_VERSION,
    chat: answer,
    models: () => Promise.resolve([{ id: "cues", name: "scripted by cue words" }]),
    tokenCount: (messages) =>
      Promise.resolve(Math.ceil(byteLength(JSON.stringify(messages)) / BYTES_PER_TOKEN)),
  };
}

async function* answer(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
  signal.throwIfAborted();
  const turn = cuedTurn(request.messages);
  const { cue } = turn;
  if (cue.kind === "fail") {
    const detail = "the prompt asked for it";
    throw new ProviderError("ProviderRefused", { provider: CONFORMANCE_PROVIDER, status: "400", detail });
  }
  if (cue.kind === "hold") {
    yield { kind: "text", index: 0, text: "holding" };
    return await cancelled(signal);
  }
  if (cue.kind === "think") yield* thought(cue.text);
  const call = callOf(turn);
  if (call === undefined) yield* answerTo(cue, turn, request);
  else yield { kind: "block", index: 0, block: call };
  yield {
    kind: "usage",
    usage: { inputTokens: 10, outputTokens: 5, cacheReadTokens: 0, cacheWriteTokens: 0 },
  };
  const reason = call === undefined ? "stop" : "tool_use";
  yield { kind: "finish", reason, raw: reason };
}

/** Returns the next call of the cue, if there is one. */
function callOf({ cue, results }: CuedTurn): ModelBlock | undefined {
  const count = results.length;
  if (cue.kind === "ask" && count < cue.count) return { type: "tool_use", name: ASKED, input: { path: "." } };
  if (cue.kind === "plan" && count === 0)
    return { type: "tool_use", name: PLANNED, input: { plan: "1. Do what the cue says." } };
  if (cue.kind === "loop" || (cue.kind === "call" && count === 0)) {
    const todos = [{ content: `call ${count + 1}`, status: "pending" }];
    return { type: "tool_use", name: FREE, input: { todos } };
  }
  return undefined;
}

async function* answerTo(
  cue: Cue,
  { results }: CuedTurn,
  { messages }: ModelRequest,
): AsyncGenerator<ModelEvent> {
  const pieces =
    cue.kind === "pieces"
      ? Array.from({ length: cue.count }, (_, at) => `${at + 1} `)
      : [textOf(cue, results, () => earlierCues(messages))];
  const index = cue.kind === "think" ? 1 : 0;
  for (const text of pieces) yield { kind: "text", index, text };
  yield { kind: "block", index, block: { type: "text", text: pieces.join("") } };
}

function textOf(cue: Cue, results: CuedTurn["results"], earlier: () => readonly string[]): string {
  switch (cue.kind) {
    case "say":
      return cue.text === "" ? "said" : cue.text;
    case "think":
      return "thought";
    case "ask":
    case "plan":
      return results.map(({ isError }) => (isError ? "denied" : "allowed")).join(" ");
    case "call":
      return "called";
    case "secret":
      return `the key is ${KEY_SHAPED} and nothing else`;
    case "lines":
      return LINES;
    case "recall":
      return earlier().join(" | ");
    default:
      return "no cue";
  }
}

async function* thought(text: string): AsyncGenerator<ModelEvent> {
  const shown = text === "" ? "thinking" : text;
  yield { kind: "thinking", index: 0, text: shown };
  const block = {
    type: "thinking",
    family: CONFORMANCE_PROVIDER,
    text: shown,
    data: { text: shown },
  } as const;
  yield { kind: "block", index: 0, block };
}

/** Rejects with the signal's reason when it aborts. */
function cancelled(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
