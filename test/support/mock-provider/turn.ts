/** The mock model's answer to one request. Plain data except `hold`, so that a script can be a JSON file. */
export interface Turn {
  readonly parts: readonly Part[];
  readonly usage?: MockUsage;
  /** Model that the answer names; the one of the request unless given. */
  readonly model?: string;
  /** Absent: `tool_use` where there is a call, else `stop`. */
  readonly finish?: "stop" | "tool_use" | "length" | "refused";
  readonly fault?: Fault;
  /** Characters of one delta; all parts are cut into deltas of this size. 24 unless told. */
  readonly deltaChars?: number;
  /** Milliseconds of real time between two deltas; none unless told. */
  readonly paceMs?: number;
  /** Half of the answer is sent, and the rest once this has come about. */
  readonly hold?: Promise<unknown>;
  /** Cuts the bytes of the stream anew, wherever that falls; one chunk per event unless told. */
  readonly chunkBytes?: number;
}

export type Part =
  | { readonly text: string }
  | { readonly thinking: string }
  | { readonly tool: string; readonly input: unknown; readonly id?: string };

export interface MockUsage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
}

export const MOCK_USAGE: MockUsage = { input: 100, output: 20 };

/** Fault of one answer. */
export type Fault =
  /** An answer that is no stream; a body that is no string is sent as JSON. */
  | {
      readonly kind: "status";
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: unknown;
    }
  /** Sends nothing more from there on, and keeps the connection open. */
  | { readonly kind: "stall"; readonly at: "headers" | "first-byte" | "mid-event" | "end" }
  /** Closes the connection after so many bytes of the stream. */
  | { readonly kind: "cut"; readonly atByte: number }
  /** Closes the connection without a word. */
  | { readonly kind: "hang-up" }
  /** Bytes that are not the protocol, after so many events. */
  | { readonly kind: "garbage"; readonly afterEvents: number; readonly text: string }
  /** An error inside the stream, as this wire spells it, after so many events. */
  | {
      readonly kind: "error-event";
      readonly afterEvents: number;
      readonly type: string;
      readonly message: string;
      readonly status?: number;
    }
  /** One line of so many bytes, as a comment of the stream. */
  | { readonly kind: "huge-line"; readonly bytes: number }
  /** Goes on saying the last text for ever. */
  | { readonly kind: "endless" };

/** Shorthand for scripts. */
export function says(text: string, more: Omit<Turn, "parts"> = {}): Turn {
  return { parts: [{ text }], ...more };
}

export function calls(tool: string, input: unknown, more: Omit<Turn, "parts"> = {}): Turn {
  return { parts: [{ tool, input }], ...more };
}

export function fails(fault: Fault): Turn {
  return { parts: [{ text: "This is what was said before it failed." }], fault };
}

export function finishOf(turn: Turn): NonNullable<Turn["finish"]> {
  return turn.finish ?? (turn.parts.some((part) => "tool" in part) ? "tool_use" : "stop");
}

/** The pieces in which a text is streamed. */
export function pieces(text: string, turn: Turn): readonly string[] {
  const size = turn.deltaChars ?? 24;
  const units = [...text];
  return Array.from({ length: Math.ceil(units.length / size) }, (_, i) =>
    units.slice(i * size, (i + 1) * size).join(""),
  );
}
