import type { SessionUpdate, ToolCallContent } from "@agentclientprotocol/sdk/unstable";
import type { CallId } from "../../../../base/ids.ts";
import type { PayloadOf } from "../../../../protocol/events/events.ts";
import { neutralise } from "../../../../view/terminal/terminal-text.ts";

type CallUpdate = Extract<SessionUpdate, { sessionUpdate: "tool_call_update" }>;
/** Fields of a call that is shown in a terminal. */
type TerminalFields = Pick<CallUpdate, "_meta"> & { readonly content?: ToolCallContent[] };

/** Terminals that are open at a time; the output of further commands is shown as text. */
const TERMINALS_MAX = 100;

/**
 * Shows the output of commands in terminals of the editor. Nothing runs in them: the engine runs each command in its
 * sandbox, and the editor draws what it has put out.
 *
 * The protocol leaves this to `_meta`: `terminal_info`, `terminal_output` and `terminal_exit`, as editors know them.
 */
export class ShownTerminals {
  /** Output of each running command that the editor has. */
  readonly #open = new Map<CallId, string>();

  /** Opens a terminal for a command; undefined for any other call. */
  begin({ callId, toolKind }: PayloadOf<"ToolCallStarted">, workingDir: string): TerminalFields | undefined {
    if (toolKind !== "execute" || this.#open.size >= TERMINALS_MAX) return undefined;
    this.#open.set(callId, "");
    const info = { terminal_id: callId, cwd: workingDir };
    return { content: [terminal(callId)], _meta: { terminal_info: info } };
  }

  /** Adds output to a terminal. Undefined if the call has none; empty if there is no output. */
  more(callId: CallId, partial: string): readonly SessionUpdate[] | undefined {
    const shown = this.#open.get(callId);
    if (shown === undefined) return undefined;
    if (partial === "") return [];
    this.#open.set(callId, shown + partial);
    return [{ sessionUpdate: "tool_call_update", toolCallId: callId, _meta: output(callId, partial) }];
  }

  /**
   * Closes a terminal with the rest of the output. A result that does not continue what was shown replaces it; the exit
   * code is part of its text.
   */
  end(callId: CallId, text: string): TerminalFields | undefined {
    const shown = this.#open.get(callId);
    if (shown === undefined) return undefined;
    this.#open.delete(callId);
    const exit = { terminal_exit: { terminal_id: callId, exit_code: null, signal: null } };
    const rest = restOf(text, shown);
    if (rest === undefined) return { _meta: exit };
    const more = rest === "" ? {} : output(callId, rest);
    return { content: [terminal(callId)], _meta: { ...more, ...exit } };
  }

  /** Forgets the terminals of a turn that is over. */
  clear(): void {
    this.#open.clear();
  }
}

/** Returns what follows the shown part of a text; undefined if it does not begin so. A result has no last newline. */
function restOf(text: string, shown: string): string | undefined {
  if (text.startsWith(shown)) return text.slice(shown.length);
  return text === shown.trimEnd() ? "" : undefined;
}

function terminal(terminalId: CallId): ToolCallContent {
  return { type: "terminal", terminalId };
}

/** Control characters would drive the editor's terminal: they are made visible. */
function output(callId: CallId, data: string) {
  return { terminal_output: { terminal_id: callId, data: neutralise(data) } };
}
