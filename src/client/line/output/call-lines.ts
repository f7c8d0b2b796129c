import type { CallId } from "../../../base/ids.ts";
import { count } from "../../../base/text/text.ts";
import type { EnvelopeOf } from "../../../protocol/events/envelope.ts";
import type { PayloadOf } from "../../../protocol/events/events.ts";
import { isShellEvent } from "../../../view/event-facts.ts";
import type { OpenCall, OpenCalls } from "../../../view/session/calls/open-calls.ts";
import { isShellCall } from "../../../view/session/calls/open-calls.ts";
import { neutralise, neutraliseLine } from "../../../view/terminal/terminal-text.ts";
import { callSummary } from "../../../view/texts/call-summary.ts";
import { quote } from "./quote.ts";
import type { PrintedCall } from "./result-lines.ts";
import { printedCall, resultLines, textOfResult } from "./result-lines.ts";

/** Lines of the output of a person's command that are printed: its end. */
const SHELL_LINES_MAX = 100;

/** Prints the calls of a session: one line when a call begins, another when it ends. */
export class CallLines {
  readonly #isLabelled: boolean;
  /** Calls whose outcome another event has already printed. */
  readonly #reported = new Set<CallId>();
  /** Calls printed as not run. `byYou`: the user of this client denied it. */
  readonly #denied = new Map<CallId, { readonly byYou: boolean }>();
  /** Files of a person's commands that were cancelled and whose results have not come yet. */
  readonly #affected = new Map<CallId, string>();
  /** Calls of this turn, as their results are printed. */
  readonly #shown = new Map<CallId, PrintedCall>();

  /** @param options `isLabelled`: true to begin each line with the tool and its state. */
  constructor({ isLabelled = false }: { readonly isLabelled?: boolean } = {}) {
    this.#isLabelled = isLabelled;
  }

  started(envelope: EnvelopeOf<"ToolCallStarted">): string {
    const call = envelope.payload;
    this.#shown.set(call.callId, printedCall(call));
    if (isShellEvent(envelope)) return callSummary(call.toModel === true ? "!" : "!!", call.args);
    if (this.#isLabelled) return labelled(call);
    return `* ${callSummary(call.tool, call.args)}`;
  }

  /** Notes that a question about a call has printed its change. */
  asked(callId: CallId): void {
    const shown = this.#shown.get(callId);
    if (shown !== undefined) this.#shown.set(callId, { ...shown, change: [], isPrinted: true });
  }

  /** Returns true if a call that has ended wrote a whole file and its result is printed with the change. */
  wroteWhole({ callId, isError }: PayloadOf<"ToolResult">): boolean {
    const shown = this.#shown.get(callId);
    const isPrinted = isError !== true && !this.#denied.has(callId) && !this.#reported.has(callId);
    return isPrinted && shown?.isWhole === true && shown.isPrinted !== true;
  }

  /** Takes the change that a call has made, as quoted lines, in place of its arguments. */
  changed(callId: CallId, change: readonly string[]): void {
    const shown = this.#shown.get(callId);
    if (shown !== undefined) this.#shown.set(callId, { ...shown, change });
  }

  /** Notes that a call does not run, and that this was printed. */
  deny(callId: CallId, by: { readonly byYou: boolean }): void {
    this.#denied.set(callId, by);
  }

  /**
   * Returns true for an error that another line reports: of a call that did not run, as an answer or a hook failure has
   * said, or of a person's command that was cancelled, whose result follows.
   */
  isNoNews({ details = {} }: PayloadOf<"Error">, running: OpenCalls): boolean {
    const callId = details["callId"] as CallId;
    const { affected } = details;
    const call = running.get(callId);
    if (typeof affected === "string" && call !== undefined && isShellCall(call)) {
      this.#affected.set(callId, affected);
      return true; // its result says that it was cancelled
    }
    if (details["told"] === true && running.has(callId)) this.deny(callId, { byYou: false });
    return this.#denied.has(callId);
  }

  /** Returns the line of an event about the only running call, whose result is then left out. */
  lineOf(text: string, running: OpenCalls): string {
    const [id, ...others] = [...running].flatMap(([callId, { parentCall }]) =>
      parentCall === undefined ? [callId] : [],
    );
    if (id === undefined || others.length > 0) return text;
    this.#reported.add(id);
    return `  ${text}`;
  }

  /** Returns the lines of a result; undefined if the end of the call was printed. */
  ended(envelope: EnvelopeOf<"ToolResult">, call: OpenCall | undefined): string | undefined {
    const { callId, ...result } = envelope.payload;
    const shown = this.#shown.get(callId) ?? UNKNOWN_CALL;
    this.#shown.delete(callId);
    const name = call === undefined ? "" : neutraliseLine(call.tool);
    const label = name === "" ? "" : `${name} `;
    const denied = this.#denied.get(callId);
    const wasTold = this.#reported.has(callId);
    this.#denied.delete(callId);
    this.#reported.delete(callId);
    if (isShellEvent(envelope) && denied === undefined) {
      const affected = this.#affected.get(callId);
      this.#affected.delete(callId);
      const files = affected === undefined ? "" : `; files possibly affected: ${affected}`;
      return shellOutput(`${textOfResult(result.content)}${files}`);
    }
    const marked = this.#isLabelled ? `Tool ${name}` : "";
    if (denied !== undefined && this.#isLabelled)
      return `${marked} did not run${denied.byYou ? ": you denied it" : ""}`;
    if (denied !== undefined) return `  ${label}did not run${denied.byYou ? ": you denied it" : ""}`;
    if (wasTold && result.isError !== true) return undefined;
    const [head, ...quoted] = resultLines(result, shown, { isSpoken: this.#isLabelled });
    if (this.#isLabelled)
      return [`${marked} ${result.isError === true ? "failed" : "done"}: ${head}`, ...quoted].join("\n");
    return [`${label}${head}`, ...quoted].map((line) => `  ${line}`).join("\n");
  }

  /** Forgets the calls of a turn that has ended. */
  clear(): void {
    this.#shown.clear();
    this.#reported.clear();
    this.#denied.clear();
    this.#affected.clear();
  }
}

/** Returns the line of a call that begins, for a screen reader: `Tool Bash running: npm test`. */
function labelled({ tool, args }: PayloadOf<"ToolCallStarted">): string {
  const detail = callSummary("", args).trim();
  return `Tool ${neutraliseLine(tool)} running${detail === "" ? "" : `: ${detail}`}`;
}

/** A call whose start was not seen. */
const UNKNOWN_CALL: PrintedCall = { kind: undefined, change: [], isWhole: false };

/** Returns the end of what a command of a person wrote, as marked lines. */
function shellOutput(text: string): string {
  const lines = neutralise(text.replace(/\n+$/, "")).split("\n");
  const hidden = lines.length - SHELL_LINES_MAX;
  const more = hidden > 0 ? [`[${count(hidden, "line")} before these: the session's log has them]`] : [];
  return quote([...more, ...lines.slice(-SHELL_LINES_MAX)].join("\n"));
}
