import { spyOn } from "bun:test";
import type { OpenHarness } from "../../src/app/harness.ts";
import { isObject } from "../../src/base/json.ts";
import type { Envelope } from "../../src/protocol/events/envelope.ts";
import { ToolRegistry } from "../../src/tools/registry.ts";
import type { Tool } from "../../src/tools/tool.ts";
import type { MockRequest } from "./mock-provider/mock-provider.ts";
import type { Turn } from "./mock-provider/turn.ts";
import { calls, says } from "./mock-provider/turn.ts";
import { connect } from "./place.ts";

/** One tool call that a test tries. */
export interface TriedCall {
  readonly tool: string;
  readonly input: object;
}

/** Outcome of a call in a session, by its events. */
export interface CallOutcome {
  /** `unplanned`: the tool itself refused the input, before anybody judged it. */
  readonly kind: "allow" | "ask" | "deny" | "unplanned";
  /** Reason of a question or refusal, as the session words it; "" for a call that ran. */
  readonly text: string;
}

const { signal } = new AbortController();
const PROMPT = /^call (\d+)$/u;

/** Makes the script of a model that issues the call whose number the prompt names, and says "done" to all else. */
export function scriptOf(tried: readonly TriedCall[]): (request: MockRequest) => Turn {
  return ({ body }) => {
    const { messages } = body;
    const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
    const content = isObject(last) && Array.isArray(last["content"]) ? last["content"] : [];
    for (const block of content) {
      const text = isObject(block) && typeof block["text"] === "string" ? block["text"] : "";
      const call = tried[Number(PROMPT.exec(text)?.[1] ?? Number.NaN)];
      if (call !== undefined) return calls(call.tool, call.input);
    }
    return says("done");
  };
}

/** Records the calls whose tool has run, in all sessions that are opened until it is disposed. */
export function recordRuns(): Disposable & { readonly ran: ReadonlySet<string> } {
  const ran = new Set<string>();
  const recorded = new WeakMap<Tool, Tool>();
  const recording = (tool: Tool): Tool => {
    const known = recorded.get(tool);
    if (known !== undefined) return known;
    const run: Tool["run"] = async (plan, context) => {
      ran.add(context.callId);
      return await tool.run(plan, context);
    };
    const made = { ...tool, run };
    recorded.set(tool, made);
    return made;
  };
  const { add } = ToolRegistry.prototype;
  const spy = spyOn(ToolRegistry.prototype, "add").mockImplementation(function (this: ToolRegistry, source) {
    const { name, late } = source;
    const tools = () => source.tools().map(recording);
    add.call(this, { name, tools, ...(late === undefined ? {} : { late }) });
  });
  return { ran, [Symbol.dispose]: () => spy.mockRestore() };
}

/**
 * Has the model issue each call in a turn of its own, answers every question with no, and returns what became of each.
 * @throws Error for a call without a result, or with one that no event explains.
 */
export async function outcomesOf(
  harness: OpenHarness,
  tried: readonly TriedCall[],
  ran: ReadonlySet<string>,
): Promise<readonly CallOutcome[]> {
  const connection = await connect(harness);
  const { session: sessionId } = harness;
  const events = connection.subscribe(sessionId, { signal })[Symbol.asyncIterator]();
  const outcomes: CallOutcome[] = [];
  for (const [number, call] of tried.entries()) {
    const text = `call ${number}`;
    await connection.send({ kind: "SendInput", sessionId, content: [{ type: "text", text }] });
    const seen: Envelope[] = [];
    for (let ended = false; !ended; ) {
      const { value, done } = await events.next();
      if (done === true) throw new Error(`the session ended at ${text}`);
      if (value.parentCall === undefined) seen.push(value); // those of a sub-agent are about its own calls
      if (value.kind === "PermissionRequested") {
        const { callId } = value.payload;
        await connection.send({ kind: "AnswerPermission", sessionId, callId, decision: "deny" });
      }
      if (value.kind === "Asked")
        await connection.send({ kind: "Answer", sessionId, askId: value.payload.askId, answer: "deny" });
      ended = value.kind === "TurnEnded" && value.parentCall === undefined;
    }
    outcomes.push(outcomeOf(seen, call, ran));
  }
  return outcomes;
}

function outcomeOf(seen: readonly Envelope[], call: TriedCall, ran: ReadonlySet<string>): CallOutcome {
  const named = `${call.tool} ${JSON.stringify(call.input).slice(0, 200)}`;
  const started = seen.find((event) => event.kind === "ToolCallStarted");
  if (started?.kind !== "ToolCallStarted") throw new Error(`${named} was never issued`);
  const { callId } = started.payload;
  const result = seen.find((event) => event.kind === "ToolResult" && event.payload.callId === callId);
  if (result?.kind !== "ToolResult") throw new Error(`${named} has no result`);
  for (const event of seen) {
    if (event.kind === "PermissionRequested" && event.payload.callId === callId)
      return { kind: "ask", text: event.payload.reason ?? "" };
    if (event.kind === "Error" && event.payload.details?.["callId"] === callId) {
      const { message, details } = event.payload;
      const isAsked = ["nobody", "timeout", "answer"].includes(String(details["because"]));
      return { kind: isAsked ? "ask" : "deny", text: message };
    }
  }
  if (ran.has(callId) || result.payload.isError !== true) return { kind: "allow", text: "" };
  const [block] = result.payload.content;
  return { kind: "unplanned", text: block?.type === "text" ? block.text : "" };
}
