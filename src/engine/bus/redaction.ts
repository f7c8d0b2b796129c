import type { ContentBlock, InputBlock, ResultContent } from "../../protocol/content.ts";
import type { Event } from "../../protocol/events/events.ts";
import type { RedactingStream, Redactor } from "../../safety/redact.ts";
import { jsonTextStream } from "../../safety/redact-json-text.ts";
import type { ToolMiddleware } from "../../tools/middleware.ts";
import type { ToolOutput } from "../../tools/tool.ts";

/** Number of recent texts without secrets that are remembered. */
const CLEAN_TEXTS_MAX = 8;
/** A shorter text is scanned faster than it is found. */
const CLEAN_CHARACTERS_MIN = 128;

/**
 * Redacts secrets in everything that is stored, shown or sent (SES-05, decisions § Redaction and truth).
 *
 * The history has only the redacted form: a later request contains the same text as a resumed session's. Only a tool
 * gets its true arguments, from memory.
 */
export class Redaction {
  readonly #redactor: Redactor;
  readonly #clean: string[] = [];
  /** The fingerprints by which they are clean. */
  #cleanBy: Redactor["prints"];

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
    this.#cleanBy = redactor.prints;
  }

  text(text: string): string {
    if (text.length < CLEAN_CHARACTERS_MIN) return this.#redactor.text(text);
    const { prints } = this.#redactor;
    if (this.#cleanBy !== prints) this.#clean.length = 0;
    this.#cleanBy = prints;
    if (this.#clean.includes(text)) return text;
    const redacted = this.#redactor.text(text);
    // A result is checked when it leaves its tool and when it is published; the second check costs a comparison.
    this.#clean.push(redacted);
    if (this.#clean.length > CLEAN_TEXTS_MAX) this.#clean.shift();
    return redacted;
  }

  /** Redacts text that arrives in pieces. Held text comes at the end of its block, never after a time. */
  stream(): RedactingStream {
    return this.#redactor.stream();
  }

  /** Redacts the text of a JSON value that arrives in pieces, with what its escapes stand for. */
  jsonStream(): RedactingStream {
    return jsonTextStream(this.#redactor);
  }

  /**
   * Returns the event in a form that may be stored and shown; undefined if it must not be. Pieces of text pass
   * through `stream` before they become events, so they are unchanged here.
   */
  event(event: Event): Event | undefined {
    switch (event.kind) {
      case "TextDelta":
      case "ThinkingDelta":
      case "ToolCallProgress":
      case "ToolArgsDelta":
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
      case "InputEdited":
        return { ...event, payload: { ...event.payload, content: [...this.input(event.payload.content)] } };
      default:
        return this.#redactor.json(event) as Event; // only texts inside change
    }
  }

  /**
   * Redacts a block of the model; undefined if it contains a secret and must not be changed (thinking, unknown blocks).
   */
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

  /** Images and sounds are unchanged: a match in their bytes is no secret. */
  #texts<Block extends InputBlock | ResultContent>(content: readonly Block[]): readonly Block[] {
    return content.map((block) => {
      if (block.type !== "text") return block;
      const text = this.text(block.text);
      return text === block.text ? block : { ...block, text };
    });
  }
}

/** Directly outside of the tool: no secret leaves it, not even to a file that keeps long output. */
export function redactOutput(redaction: Redaction): ToolMiddleware {
  return async function redactOutput(call, context, next) {
    return redaction.output(await next(call, context));
  };
}
