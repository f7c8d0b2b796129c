import type { CallId } from "../../../base/ids.ts";
import { count } from "../../../base/text/text.ts";
import type { ResultContent } from "../../../protocol/content.ts";
import type { PayloadOf } from "../../../protocol/events/events.ts";
import type { OpenCall, OpenCalls } from "../../../view/session/calls.ts";
import { neutralise, neutraliseLine } from "../../../view/terminal/terminal-text.ts";
import { callSummary } from "../../../view/texts/call-summary.ts";
import { firstLine } from "../../../view/texts/first-line.ts";
import { quote } from "./quote.ts";

/** Lines of the output of a person's command that are printed: its end. */
const SHELL_LINES_MAX = 100;

/** Prints the calls of a session: one line when a call begins, another when it ends. */
export class CallLines {
  /** Calls whose outcome another event has already printed. */
  readonly #reported = new Set<CallId>();
  /** Calls printed as not run. `byYou`: the user of this client denied it. */
  readonly #denied = new Map<CallId, { readonly byYou: boolean }>();

  started({ tool, args, shell, toModel }: PayloadOf<"ToolCallStarted">): string {
    if (shell === true) return callSummary(toModel === true ? "!" : "!!", args);
    return `* ${callSummary(tool, args)}`;
  }

  /** Notes that a call does not run, and that this was printed. */
  deny(callId: CallId, by: { readonly byYou: boolean }): void {
    this.#denied.set(callId, by);
  }

  /** Returns true for an error about a call that an answer or a hook failure already reported as not run. */
  isNoNews({ details = {} }: PayloadOf<"Error">, running: OpenCalls): boolean {
    const callId = details["callId"] as CallId;
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

  /** Returns the line of a result; undefined if the end of the call was printed. */
  ended(
    { callId, content, isError, shell }: PayloadOf<"ToolResult">,
    call: OpenCall | undefined,
  ): string | undefined {
    const label = call === undefined ? "" : `${neutraliseLine(call.tool)} `;
    const denied = this.#denied.get(callId);
    const wasTold = this.#reported.has(callId);
    this.#denied.delete(callId);
    this.#reported.delete(callId);
    if (shell === true && denied === undefined) return shellOutput(resultText(content));
    if (denied !== undefined) return `  ${label}did not run${denied.byYou ? ": you denied it" : ""}`;
    if (wasTold && isError !== true) return undefined;
    const text = resultText(content);
    const state = isError === true ? "failed" : "ok";
    const detail = isError === true ? (firstLine(text) ?? "") : sizeOf(text, content);
    return `  ${label}${state}${detail === "" ? "" : `: ${detail}`}`;
  }

  /** Forgets the calls of a turn that has ended. */
  clear(): void {
    this.#reported.clear();
    this.#denied.clear();
  }
}

/** Returns the end of what a command of a person wrote, as marked lines. */
function shellOutput(text: string): string {
  const lines = neutralise(text.replace(/\n+$/, "")).split("\n");
  const hidden = lines.length - SHELL_LINES_MAX;
  const more = hidden > 0 ? [`[${count(hidden, "line")} before these: the session's log has them]`] : [];
  return quote([...more, ...lines.slice(-SHELL_LINES_MAX)].join("\n"));
}

function resultText(content: readonly ResultContent[]): string {
  return content.map((block) => (block.type === "text" ? block.text : `[${block.type}]`)).join("\n");
}

function sizeOf(text: string, content: readonly ResultContent[]): string {
  if (content.length === 0 || text.trim() === "") return "no output";
  const lines = text.replace(/\n$/, "").split("\n").length;
  return lines === 1 ? (firstLine(text) ?? "") : count(lines, "line");
}
