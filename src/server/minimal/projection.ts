import type { InputBlock } from "../../protocol/content.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import type { EventKind } from "../../protocol/events/events.ts";
import { inputTexts } from "../../view/input-text.ts";
import { permissionHeading } from "../../view/questions/question-words.ts";
import { callsAfter, NO_CALLS } from "../../view/session/calls/open-calls.ts";

const MS_PER_S = 1_000;

/** Event of the minimal server ([B] § HTTP Server). */
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

/** Text of one block that is held until the block ends; a longer one is emitted in parts of this size. */
export const BLOCK_CHARS_MAX = 4_194_304;

interface TextEvent {
  readonly type: "text" | "reasoning";
  readonly content: string;
  readonly timestamp: number;
}

/** Block that has not ended, with its text so far. */
interface OpenBlock {
  readonly event: TextEvent;
  /** Place of the block in the model's answer. */
  readonly index: number;
}

type State = "thinking" | "running tool" | "idle";

export interface ProjectionOptions {
  /** Emit `text` and `reasoning` in pieces, as they come. If false, each is emitted once, when its block ends. */
  readonly deltas: boolean;
}

/** Turns the events of a session into those of the minimal server. Events of sub-agents are left out. */
export class MinimalProjection {
  readonly #deltas: boolean;
  /** Running calls, so that a result can have the name of its tool. */
  #calls = NO_CALLS;
  #open: OpenBlock | undefined;
  #state: State = "idle";

  constructor({ deltas }: ProjectionOptions) {
    this.#deltas = deltas;
  }

  /** Returns what follows from one event; `timestamp` is in whole seconds since 1970. */
  of(event: Envelope): readonly MinimalEvent[] {
    if (event.parentCall !== undefined) return [];
    const timestamp = Math.floor(Date.parse(event.ts) / MS_PER_S);
    if (event.kind === "TextDelta") {
      const { text: content, index = 0 } = event.payload;
      return this.#piece({ type: "text", content, timestamp }, index);
    }
    if (event.kind === "ThinkingDelta") {
      const { block, index = 0 } = event.payload;
      return this.#piece({ type: "reasoning", content: block.text, timestamp }, index);
    }
    const ended = ENDS_BLOCK.has(event.kind) ? this.#endBlock() : [];
    return [...ended, ...this.#eventsFor(event, timestamp)];
  }

  #eventsFor(event: Envelope, timestamp: number): readonly MinimalEvent[] {
    const status = (message: string, state = this.#state): MinimalEvent => {
      this.#state = state;
      return { type: "status", state, message, timestamp };
    };
    const before = this.#calls;
    this.#calls = callsAfter(before, event);
    switch (event.kind) {
      case "TurnStarted": {
        const content = textOf(event.payload.content ?? []);
        return [{ type: "user", content, timestamp }, status("the model is asked", "thinking")];
      }
      case "ToolCallStarted": {
        const { callId: id, tool: name, args: input } = event.payload;
        return [{ type: "tool_call", id, name, input, timestamp }, status(name, "running tool")];
      }
      case "ToolResult": {
        const { callId: id, content, isError = false } = event.payload;
        const name = before.get(id)?.tool ?? "";
        return [
          { type: "tool_result", id, name, result: textOf(content), isError, timestamp },
          ...(this.#calls.size === 0 ? [status("the model is asked", "thinking")] : []),
        ];
      }
      case "Error":
        return [status(event.payload.message)]; // a notice changes no state
      case "PermissionRequested":
        return [status(permissionHeading(event.payload), "running tool")];
      case "TurnEnded":
        return [status(event.payload.reason, "idle")];
      case "SessionEnded":
        return [status("the session has ended", "idle")];
      default:
        return [];
    }
  }

  #piece(piece: TextEvent, index: number): readonly MinimalEvent[] {
    if (this.#state === "idle") this.#state = "thinking"; // the stream started within a turn
    if (piece.content === "") return [];
    if (this.#deltas) return [piece];
    const { event, index: at } = this.#open ?? {};
    const isSame = event?.type === piece.type && at === index;
    const isFull = (event?.content.length ?? 0) + piece.content.length > BLOCK_CHARS_MAX;
    const ended = isSame && !isFull ? [] : this.#endBlock();
    const content = `${this.#open?.event.content ?? ""}${piece.content}`;
    this.#open = { event: { ...piece, content }, index };
    return ended;
  }

  #endBlock(): readonly MinimalEvent[] {
    const open = this.#open;
    this.#open = undefined;
    return open === undefined ? [] : [open.event];
  }
}

/**
 * Kinds that end a block of text. Others may come in its middle: they belong to other clients. After an Error the model
 * may be asked again, and its answer begins from the start.
 */
const ENDS_BLOCK: ReadonlySet<EventKind> = new Set<EventKind>([
  "TurnStarted",
  "ToolCallStarted",
  "CostIncremented",
  "Error",
  "Cancelled",
  "TurnEnded",
  "SessionEnded",
]);

function textOf(content: readonly InputBlock[]): string {
  return inputTexts(content, (type) => `(${type})`).join("");
}
