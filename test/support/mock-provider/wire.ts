import type { JsonObject } from "../../../src/base/json.ts";
import type { Turn } from "./turn.ts";

/** One of the three wires that the mock speaks. */
export interface Wire {
  readonly path: string;
  /** The answer as the events of a stream, each as the text that is sent. */
  events(turn: Turn, ask: Ask): Iterable<string>;
  /** One more delta of text, for an answer without an end. */
  more(text: string, ask: Ask): string;
  /** An error in the middle of the stream. */
  errorEvent(type: string, message: string, status: number): string;
  /** Returns the real provider's complaint, or undefined. */
  complaint(body: JsonObject): string | undefined;
  /** The body of an answer that refuses. */
  errorBody(status: number, message: string): JsonObject;
  /** The words in which the provider says that the context window is full. */
  overflow(tokens: number, tokensMax: number): string;
  /** The words for a model that it does not know. */
  unknownModel(model: string): string;
}

export interface Ask {
  readonly model: string;
  /** Counts the requests of the mock, for ids that differ. */
  readonly number: number;
  readonly body: JsonObject;
}

export function sse(data: unknown, event?: string): string {
  return `${event === undefined ? "" : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`;
}
