import type { CallId } from "../base/ids.ts";
import type { Ask, AskAnswer } from "../control/ask.ts";
import type { Intent } from "../session/store.ts";
import { fails, says } from "../tool/output.ts";
import type { ToolOutput } from "../tool/tool.ts";
import type { PendingCall } from "./reply.ts";
import type { EngineParts, Turn } from "./turn.ts";

/** A call of an earlier run without a result. */
export interface OrphanedCall {
  readonly callId: CallId;
  readonly name: string;
  readonly input: unknown;
  /** Whether clients were told that it started. */
  readonly begun: boolean;
  /** Its intent, where that has no outcome: the process ended while it ran. */
  readonly intent?: Pick<Intent, "mutating" | "summary" | "startedAt">;
}

/** A call of a sub-agent that its process ended in the middle of. */
export type InnerCall = Pick<Intent, "callId" | "tool" | "summary">;

/** The answer of a person who does not want to go on with this session. */
export class ResumeAborted extends Error {
  override readonly name = "ResumeAborted";
}

/**
 * Answers the calls that a run before this one left open, so that the history can be sent again (SES-03).
 *
 * What only reads is run again. What may have changed something never is: a person says what became of it, and where
 * nobody can be asked the model is told that it is unknown. What had not begun is told as not executed.
 * @param at `results` keeps what became of each call, so that a second try after a cancel settles only the rest.
 * @throws ResumeAborted when the person chose to end the session instead.
 */
export async function answerOrphans(
  orphans: readonly OrphanedCall[],
  turn: Turn,
  at: {
    readonly parts: EngineParts;
    readonly ask: Ask;
    readonly inner?: readonly InnerCall[];
    readonly results: Map<CallId, ToolOutput>;
  },
): Promise<void> {
  const { parts, results, inner = [] } = at;
  const calls: PendingCall[] = [];
  for (const { callId: id, name, input, intent, begun } of orphans) {
    const call: PendingCall = { id, name, input };
    calls.push(call);
    if (results.has(id)) continue;
    if (intent !== undefined && !intent.mutating && holdsMarker(input)) {
      results.set(call.id, OUTPUTS.forgotten);
      conclude(call, OUTPUTS.forgotten, { parts, turn });
    } else if (intent !== undefined) {
      results.set(call.id, await settle(call, intent, { ...at, turn }));
    } else if (begun) {
      results.set(call.id, OUTPUTS.unknown); // between its start and its intent, or its outcome and its result
      tellEnd(call, OUTPUTS.unknown, { parts, turn });
    }
  }
  parts.conversation.answer(calls, results, "the process ended before it", turn.number);
  const completedAt = new Date(parts.world.clock.now()).toISOString();
  for (const { callId } of inner) parts.bus.conclude({ callId, outcome: "error", completedAt });
  await parts.bus.commit("power");
}

/** Asks about what may have changed something; runs again what only reads. A second run that is cancelled was its last. */
async function settle(
  call: PendingCall,
  intent: NonNullable<OrphanedCall["intent"]>,
  at: Recovering & {
    readonly ask: Ask;
    readonly inner?: readonly InnerCall[];
    readonly results: Map<CallId, ToolOutput>;
  },
): Promise<ToolOutput> {
  const { parts, turn, results } = at;
  if (intent.mutating) return await askAbout(call, intent, at);
  try {
    return await parts.dispatcher.dispatch(call, turn.dispatchContext());
  } catch (thrown) {
    results.set(call.id, OUTPUTS.interrupted); // its end was told, and its outcome is in the log
    throw thrown;
  }
}

const CHOICES = [
  { value: "failed", label: "Failed" },
  { value: "succeeded", label: "Succeeded with note" },
  { value: "abort", label: "Abort session" },
];

async function askAbout(
  call: PendingCall,
  { summary, startedAt }: NonNullable<OrphanedCall["intent"]>,
  { parts, ask, turn, inner = [] }: Recovering & { readonly ask: Ask; readonly inner?: readonly InnerCall[] },
): Promise<ToolOutput> {
  const { id: callId, name, input } = call;
  // Calls that change something run one at a time: what was under way in a sub-agent was under way in this one.
  const within =
    inner.length === 0 ? "" : ` In it, this had begun: ${inner.map(({ summary }) => summary).join("; ")}.`;
  const text = `Tool call ${callId} (${name} '${summary}') started at ${startedAt} but did not finish. Mark as: [Failed | Succeeded with note | Abort session].${within}`;
  const answer = await ask(
    {
      about: "orphan",
      text,
      choices: CHOICES,
      details: { callId, tool: name, args: input, ...(within === "" ? {} : { within }) },
    },
    turn.cancel.signal,
  );
  const chosen = chosenOf(answer);
  if (chosen === "abort") throw new ResumeAborted("a person ended the session instead of resuming it");
  const output = OUTPUTS[chosen];
  conclude(call, output, { parts, turn });
  return output;
}

interface Recovering {
  readonly parts: EngineParts;
  readonly turn: Turn;
}

/** Closes the intent of a call, and tells its end. */
function conclude(call: PendingCall, output: ToolOutput, { parts, turn }: Recovering): void {
  const completedAt = new Date(parts.world.clock.now()).toISOString();
  parts.bus.conclude({ callId: call.id, outcome: output.isError ? "error" : "ok", completedAt });
  tellEnd(call, output, { parts, turn });
}

/** Whoever saw the call begin sees it end. */
function tellEnd(call: PendingCall, { content, isError }: ToolOutput, { parts, turn }: Recovering): void {
  const payload = { callId: call.id, content: [...content], ...(isError ? { isError } : {}) };
  parts.bus.publish({ kind: "ToolResult", payload }, turn.origin);
}

/** Whether arguments are other than those that the call had: a secret in them was taken out. */
function holdsMarker(input: unknown): boolean {
  return JSON.stringify(input)?.includes("«redacted:") ?? false;
}

type Chosen = "interrupted" | "failed" | "succeeded" | "abort" | "unknown" | "forgotten";

function chosenOf(answer: AskAnswer): Chosen {
  if (answer.kind !== "answered") return "unknown";
  return answer.answer === "succeeded" || answer.answer === "abort" ? answer.answer : "failed";
}

const OUTPUTS: Readonly<Record<Exclude<Chosen, "abort">, ToolOutput>> = {
  failed: fails("The process ended while this ran. The user says that it failed."),
  succeeded: says("The process ended while this ran. The user says that it succeeded; its output is lost."),
  forgotten: fails(
    "The process ended while this ran, and it is not run again: its arguments held a secret, which is kept nowhere.",
  ),
  interrupted: fails("The process ended while this ran; a second run of it was cancelled."),
  unknown: fails(
    "The process ended while this ran. Whether it took effect, wholly or in part, is unknown: look before you run it again.",
  ),
};
