import { assert } from "../base/assert.ts";
import { HarnessError } from "../base/errors.ts";
import type { CallId } from "../base/ids.ts";
import { textOfJson } from "../base/json.ts";
import { shortened } from "../base/text/text.ts";
import type { InnerCall, OrphanedCall, OrphanFate } from "../session/history/unfinished.ts";
import type { Ask, AskOutcome } from "../session/questions.ts";
import type { Intent } from "../session/store/store.ts";
import { CALL_MARK } from "../tools/chain/call-mark.ts";
import { errorOutput, textOutput } from "../tools/output.ts";
import type { ToolOutput } from "../tools/tool.ts";
import type { PendingCall } from "./loop/reply.ts";
import type { EngineDependencies, Turn } from "./loop/turn.ts";

/** Thrown when the user does not want to continue this session. */
export class ResumeAborted extends Error {
  override readonly name = "ResumeAborted";
}

/**
 * Answers the calls that an earlier run left open, so that the history can be sent again (SES-03).
 *
 * Processes of these calls that still run are ended first. Read-only calls are run again. Calls that may have changed
 * something never are: a person decides their result, and without an answer nothing is decided. Calls that had not
 * begun count as not executed.
 * @param at `results` stores the result of each call, so that a retry after a cancel settles only the rest. `fate` is
 * a decision made beforehand for every call; without one each is asked about.
 * @throws ResumeAborted if the user ended the session instead; HarnessError OrphanUnsettled without a decision.
 */
export async function answerOrphans(
  orphans: readonly OrphanedCall[],
  turn: Turn,
  at: Deciding & { readonly parts: EngineDependencies; readonly results: Map<CallId, ToolOutput> },
): Promise<void> {
  const { parts, results, inner = [] } = at;
  const living = await endSurvivors([...orphans, ...inner], parts);
  const calls: PendingCall[] = [];
  for (const { callId: id, name, input, intent, mutating } of orphans) {
    const call: PendingCall = { id, name, input };
    calls.push(call);
    if (results.has(id)) continue;
    if (intent?.mutating === true) {
      results.set(id, await askAbout(call, intent, { ...at, turn, living }));
    } else if (intent === undefined && mutating !== false) {
      if (mutating === undefined) continue; // it had not begun
      results.set(id, OUTPUTS.unknown); // between its start and its intent, or its outcome and its result
      tellEnd(call, OUTPUTS.unknown, { parts, turn });
    } else if (holdsMarker(input)) {
      results.set(id, OUTPUTS.forgotten);
      // The process may have ended before the log had the intent of a call that reads.
      if (intent === undefined) tellEnd(call, OUTPUTS.forgotten, { parts, turn });
      else conclude(call, OUTPUTS.forgotten, { parts, turn });
    } else {
      results.set(id, await runAgain(call, { parts, turn, results }));
    }
  }
  parts.conversation.answer(calls, results, "the process ended before it", turn.number);
  const completedAt = new Date(parts.world.clock.now()).toISOString();
  for (const { callId } of inner)
    parts.bus.conclude({ callId, outcome: "error", completedAt }, { mutating: true });
  await parts.bus.commit("power");
}

/**
 * Ends processes of a killed engine's calls, which would continue to change things. Returns those that are still alive.
 */
export async function endSurvivors(
  calls: readonly { readonly callId: CallId }[],
  { world: { machine, log }, session }: EngineDependencies,
): Promise<readonly number[]> {
  const all: number[] = [];
  for (const { callId } of calls) {
    const { killed = [], living = [] } = (await machine.endMarked?.(CALL_MARK, `${callId}.`)) ?? {};
    all.push(...living);
    if (killed.length === 0) continue;
    const ended = killed.length - living.length;
    log.for("engine").write("warn", "ended processes of a killed run", { session, callId, ended, living });
  }
  return all;
}

/** Inputs of the decision about open calls. */
interface Deciding {
  readonly ask: Ask;
  readonly fate?: OrphanFate;
  readonly inner?: readonly InnerCall[];
  /** Processes of these calls that could not be ended. */
  readonly living?: readonly number[];
}

/** Runs a call that only reads again. A cancelled second run was its last. */
async function runAgain(
  call: PendingCall,
  { parts, turn, results }: Recovering & { readonly results: Map<CallId, ToolOutput> },
): Promise<ToolOutput> {
  try {
    return await parts.dispatcher.dispatch(call, turn.dispatchContext());
  } catch (thrown) {
    results.set(call.id, OUTPUTS.interrupted); // its end was published, and its outcome is in the log
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
  intent: NonNullable<OrphanedCall["intent"]>,
  at: Recovering & Deciding,
): Promise<ToolOutput> {
  const fate = at.fate ?? fateOf(await answerAbout(call, intent, at), { ...intent, tool: call.name, ...at });
  if (fate.kind === "abort") throw new ResumeAborted("a person ended the session instead of resuming it");
  const output = fate.kind === "failed" ? OUTPUTS.failed : succeeded(fate.note);
  conclude(call, output, at);
  return output;
}

async function answerAbout(
  { id: callId, name, input }: PendingCall,
  { summary, startedAt }: NonNullable<OrphanedCall["intent"]>,
  { ask, turn, inner = [], living = [] }: Recovering & Deciding,
): Promise<AskOutcome> {
  // Calls that change something run one at a time: a call running in a sub-agent was running in this one.
  const within =
    inner.length === 0 ? "" : ` In it, this had begun: ${inner.map(({ summary }) => summary).join("; ")}.`;
  const text = `Tool call ${callId} (${name} '${summary}') started at ${startedAt} but did not finish. Mark as: [Failed | Succeeded with note | Abort session].${within}${livingText(living)}`;
  return await ask(
    {
      about: "orphan",
      text,
      choices: CHOICES,
      noteFor: "succeeded",
      details: {
        callId,
        tool: name,
        args: input,
        ...(within === "" ? {} : { within }),
        ...(living.length === 0 ? {} : { living: livingText(living) }),
      },
    },
    turn.cancel.signal,
  );
}

interface Recovering {
  readonly parts: EngineDependencies;
  readonly turn: Turn;
}

/** Closes the intent of a call, and publishes its end. */
function conclude(call: PendingCall, output: ToolOutput, { parts, turn }: Recovering): void {
  const completedAt = new Date(parts.world.clock.now()).toISOString();
  const outcome = output.isError ? "error" : "ok";
  parts.bus.conclude({ callId: call.id, outcome, completedAt }, { mutating: true });
  tellEnd(call, output, { parts, turn });
}

/** Every published start of a call has a published end. */
function tellEnd(call: PendingCall, { content, isError }: ToolOutput, { parts, turn }: Recovering): void {
  const payload = { callId: call.id, content: [...content], ...(isError ? { isError } : {}) };
  parts.bus.publish({ kind: "ToolResult", payload }, turn.origin);
}

/** Returns true if the stored arguments differ from the real ones: a secret in them was redacted. */
function holdsMarker(input: unknown): boolean {
  return JSON.stringify(input)?.includes("«redacted:") ?? false;
}

const CALL_CHARACTERS_MAX = 200;
/** Longer notes are cut: a note describes the result of a call, it does not replace its output. */
const NOTE_CHARACTERS_MAX = 4_000;

const NOTED = "succeeded:";

/**
 * Parses an answer.
 * @throws HarnessError OrphanUnsettled if there was none.
 */
function fateOf(outcome: AskOutcome, call: Unsettled): OrphanFate {
  if (outcome.kind !== "answered") throw orphanUnsettled(call);
  const answer = textOfJson(outcome.answer);
  if (answer === "failed" || answer === "abort") return { kind: answer };
  if (answer === "succeeded") return { kind: "succeeded" };
  assert(answer.startsWith(NOTED), "an answer is one of the choices, or succeeded with a note");
  return { kind: "succeeded", note: answer.slice(NOTED.length) };
}

/** Returns the error for a call that nobody has decided about. */
export function orphanUnsettled({ tool, summary, startedAt, living = [] }: Unsettled): HarnessError {
  const call = `${tool} '${shortened(summary.replaceAll(/\s+/g, " "), CALL_CHARACTERS_MAX)}'`;
  const started = living.length === 0 ? startedAt : `${startedAt};${livingText(living).replace(/\.$/, "")}`;
  return new HarnessError("OrphanUnsettled", { call, started });
}

interface Unsettled extends Pick<Intent, "tool" | "summary" | "startedAt">, Pick<Deciding, "living"> {}

/** Returns a sentence with a space before it; "" for no processes. */
function livingText(pids: readonly number[]): string {
  if (pids.length === 0) return "";
  return ` Processes of it could not be ended and may still change something: ${pids.join(", ")}.`;
}

/** Returns the result of a call that the user says succeeded. Like every result it is fenced for the model. */
function succeeded(note: string | undefined): ToolOutput {
  const words = note?.trim() ?? "";
  const statement = "The process ended while this ran. The user says that it succeeded";
  if (words === "") return textOutput(`${statement}; its output is lost.`);
  return textOutput(
    `${statement}; its output is lost. The user's note: ${shortened(words, NOTE_CHARACTERS_MAX)}`,
  );
}

const OUTPUTS = {
  failed: errorOutput("The process ended while this ran. The user says that it failed."),
  forgotten: errorOutput(
    "The process ended while this ran, and it is not run again: its arguments held a secret, which is kept nowhere.",
  ),
  interrupted: errorOutput("The process ended while this ran; a second run of it was cancelled."),
  unknown: errorOutput(
    "The process ended while this ran. Whether it took effect, wholly or in part, is unknown: look before you run it again.",
  ),
} as const;
