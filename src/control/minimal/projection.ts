import type { CallId } from "../../base/ids.ts";
import { stringAt } from "../../base/json.ts";
import type { ResultContent } from "../../protocol/content.ts";
import type { Envelope } from "../../protocol/envelope.ts";

const MS_PER_S = 1_000;

/** What the minimal server tells of an event ([B] § HTTP Server). */
export type MinimalEvent = { readonly timestamp: number } & (
  | { readonly type: "user" | "text" | "reasoning"; readonly content: string }
  | { readonly type: "tool_call"; readonly id: string; readonly name: string; readonly input: unknown }
  | {
      readonly type: "tool_result";
      readonly id: string;
      readonly name: string;
      readonly result: string;
      readonly isError: boolean;
    }
  | {
      readonly type: "status";
      readonly state: "thinking" | "running tool" | "idle";
      readonly message: string;
    }
);

/**
 * Makes the events of the minimal server of those of a session: nothing is told that those do not hold. Of a sub-agent
 * nothing is told.
 */
export class MinimalProjection {
  /** Calls that run, so that a result can bear the name of its tool. */
  readonly #tools = new Map<CallId, string>();

  /** What an event is told as; nothing where it has no place there. `timestamp` is in whole seconds since 1970. */
  of(event: Envelope): readonly MinimalEvent[] {
    if (event.parentCall !== undefined) return [];
    const timestamp = Math.floor(Date.parse(event.ts) / MS_PER_S);
    const status = (state: "thinking" | "running tool" | "idle", message: string): MinimalEvent => ({
      type: "status",
      state,
      message,
      timestamp,
    });
    switch (event.kind) {
      case "TurnStarted": {
        const content = textOf(event.payload.content ?? []);
        return [{ type: "user", content, timestamp }, status("thinking", "the model is asked")];
      }
      case "TextDelta":
        return [{ type: "text", content: event.payload.text, timestamp }];
      case "ThinkingDelta": {
        const content = stringAt(event.payload.block, "text") ?? "";
        return content === "" ? [] : [{ type: "reasoning", content, timestamp }];
      }
      case "ToolCallStarted": {
        const { callId: id, tool: name, args: input } = event.payload;
        this.#tools.set(id, name);
        return [{ type: "tool_call", id, name, input, timestamp }, status("running tool", name)];
      }
      case "ToolResult": {
        const { callId: id, content, isError = false } = event.payload;
        const name = this.#tools.get(id) ?? "";
        this.#tools.delete(id);
        return [
          { type: "tool_result", id, name, result: textOf(content), isError, timestamp },
          ...(this.#tools.size === 0 ? [status("thinking", "the model is asked")] : []),
        ];
      }
      case "Error":
        return [status("thinking", event.payload.message)];
      case "PermissionRequested":
        return [status("running tool", `${event.payload.tool} waits for permission`)];
      case "TurnEnded":
        this.#tools.clear();
        return [status("idle", event.payload.reason)];
      case "SessionEnded":
        return [status("idle", "the session has ended")];
      default:
        return [];
    }
  }
}

function textOf(content: readonly ResultContent[]): string {
  return content.map((block) => (block.type === "text" ? block.text : `(${block.type})`)).join("");
}
