import type { CallId } from "../../../base/ids.ts";
import { count, shortened } from "../../../base/text/text.ts";
import type { ResultContent } from "../../../protocol/content.ts";
import type { PayloadOf } from "../../../protocol/events/events.ts";
import { neutraliseLine } from "../../../view/terminal/terminal-text.ts";
import { callSummary } from "../../../view/texts/call-summary.ts";

export const RESULT_LINE_CHARACTERS_MAX = 160;

/** A call that runs. */
interface OpenCall {
  readonly tool: string;
  /** What it came to stands there already, told by an event of its own. */
  isTold: boolean;
}

/** The calls of a session as they are told: one line where one begins, another where it ends. */
export class CallLines {
  readonly #open = new Map<CallId, OpenCall>();
  /** Calls that did not run, which was told, and whether the person at this client denied it. */
  readonly #denied = new Map<CallId, { readonly byYou: boolean }>();

  started({ callId, tool, args }: PayloadOf<"ToolCallStarted">): string {
    this.#open.set(callId, { tool, isTold: false });
    return `* ${callSummary(tool, args)}`;
  }

  /** It does not run, and that was told: what else is said of that is no news. */
  deny(callId: CallId, by: { readonly byYou: boolean }): void {
    this.#denied.set(callId, by);
  }

  /** Whether an error tells of a call that did not run what was told already: by a person's answer, by a hook's failure. */
  isNoNews({ details = {} }: PayloadOf<"Error">): boolean {
    const callId = details["callId"] as CallId;
    if (details["told"] === true && this.#open.has(callId)) this.deny(callId, { byYou: false });
    return this.#denied.has(callId);
  }

  /** What an event tells of the one call that runs; its result says the same once more, and is then left out. */
  told(text: string): string {
    const [call, ...others] = this.#open.values();
    if (call === undefined || others.length > 0) return text;
    call.isTold = true;
    return `  ${text}`;
  }

  /** Undefined where the end of the call was told. */
  ended({ callId, content, isError }: PayloadOf<"ToolResult">): string | undefined {
    const call = this.#open.get(callId);
    this.#open.delete(callId);
    const label = call === undefined ? "" : `${neutraliseLine(call.tool)} `;
    const denied = this.#denied.get(callId);
    this.#denied.delete(callId);
    if (denied !== undefined) return `  ${label}did not run${denied.byYou ? ": you denied it" : ""}`;
    if (call?.isTold === true && isError !== true) return undefined;
    const text = resultText(content);
    const state = isError === true ? "failed" : "ok";
    const detail = isError === true ? (firstLine(text) ?? "") : sizeOf(text, content);
    return `  ${label}${state}${detail === "" ? "" : `: ${detail}`}`;
  }
}

function resultText(content: readonly ResultContent[]): string {
  return content.map((block) => (block.type === "text" ? block.text : `[${block.type}]`)).join("\n");
}

function sizeOf(text: string, content: readonly ResultContent[]): string {
  if (content.length === 0 || text.trim() === "") return "no output";
  const lines = text.replace(/\n$/, "").split("\n").length;
  return lines === 1 ? (firstLine(text) ?? "") : count(lines, "line");
}

/** The first line of a foreign text that says something, made safe and short. */
export function firstLine(text: string): string | undefined {
  const line = text.split("\n").find((candidate) => candidate.trim() !== "");
  if (line === undefined) return undefined;
  return shortened(neutraliseLine(line.trim()), RESULT_LINE_CHARACTERS_MAX);
}
