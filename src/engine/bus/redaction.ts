import type { ContentBlock, InputBlock, ResultContent } from "../../protocol/content.ts";
import type { Event } from "../../protocol/events/events.ts";
import type { RedactingStream, Redactor } from "../../safety/redact.ts";
import type { ToolMiddleware } from "../../tools/middleware.ts";
import type { ToolOutput } from "../../tools/tool.ts";

/** Long texts that were seen to hold no secret, for the next who asks about the same one. */
const CLEAN_TEXTS_MAX = 8;
const CLEAN_CHARACTERS_MIN = 4_096;

/**
 * Takes secrets out of everything that is stored, shown or sent, before it is (SES-05, decisions § Redaction and truth).
 *
 * The redacted form is the only one that history ever has: what a later request says is what a resumed session would
 * say. A tool alone is given its true arguments, from memory.
 */
export class Redaction {
  readonly #redactor: Redactor;
  readonly #clean: string[] = [];

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  text(text: string): string {
    if (text.length < CLEAN_CHARACTERS_MIN) return this.#redactor.text(text);
    if (this.#clean.includes(text)) return text;
    const redacted = this.#redactor.text(text);
    // A result is looked at where it leaves its tool and where it is told; the second look costs a comparison.
    this.#clean.push(redacted);
    if (this.#clean.length > CLEAN_TEXTS_MAX) this.#clean.shift();
    return redacted;
  }

  /** For text that arrives in pieces. What it holds back comes with the end of its block, never with time. */
  stream(): RedactingStream {
    return this.#redactor.stream();
  }

  /**
   * An event as it may be stored and shown; undefined for one that must not be. Pieces of text come through `stream`
   * before they become events: they are left as they are.
   */
  event(event: Event): Event | undefined {
    switch (event.kind) {
      case "TextDelta":
      case "ThinkingDelta":
      case "ToolCallProgress":
        return event;
      case "ToolResult":
        return { ...event, payload: { ...event.payload, content: [...this.results(event.payload.content)] } };
      case "TurnStarted": {
        const { content } = event.payload;
        if (content === undefined) return event;
        return { ...event, payload: { ...event.payload, content: [...this.input(content)] } };
      }
      case "InputQueued":
        return { ...event, payload: { ...event.payload, content: [...this.input(event.payload.content)] } };
      default:
        return this.#redactor.json(event) as Event; // only texts inside change
    }
  }

  /** A block of the model's; undefined where it holds a secret and may not be changed (thinking, what is unknown). */
  block(block: ContentBlock): ContentBlock | undefined {
    switch (block.type) {
      case "text":
        return { ...block, text: this.text(block.text) };
      case "tool_use":
        return { ...block, input: this.#redactor.json(block.input) };
      case "thinking":
      case "opaque":
        return this.#redactor.json(block) === block ? block : undefined;
      default:
        return block;
    }
  }

  input(content: readonly InputBlock[]): readonly InputBlock[] {
    return this.#texts(content);
  }

  results(content: readonly ResultContent[]): readonly ResultContent[] {
    return this.#texts(content);
  }

  output(output: ToolOutput): ToolOutput {
    const content = this.results(output.content);
    return content.every((block, at) => block === output.content[at]) ? output : { ...output, content };
  }

  /** Images and sounds are left as they are: what looks like a secret in their bytes is none. */
  #texts<Block extends InputBlock | ResultContent>(content: readonly Block[]): readonly Block[] {
    return content.map((block) => {
      if (block.type !== "text") return block;
      const text = this.text(block.text);
      return text === block.text ? block : { ...block, text };
    });
  }
}

/** Stands right around the tool: no secret leaves it, not even to a file that keeps what is too long. */
export function redactOutput(redaction: Redaction): ToolMiddleware {
  return async function redactOutput(call, context, next) {
    return redaction.output(await next(call, context));
  };
}
