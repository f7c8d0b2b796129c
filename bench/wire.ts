/** Answers of the Messages API as bytes, made before they are needed. */
const HEAD = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
const encoder = new TextEncoder();

export const STREAM_HEAD = encoder.encode(HEAD);
export const STREAM_TAIL = encoder.encode("0\r\n\r\n");

/** A whole answer, or its events alone, each as one chunk: so they leave a provider. */
export function bytesOf(events: readonly string[], part: "whole" | "middle" = "whole"): Uint8Array {
  const chunks = events
    .map((event) => `${encoder.encode(event).length.toString(16)}\r\n${event}\r\n`)
    .join("");
  return encoder.encode(part === "whole" ? `${HEAD}${chunks}0\r\n\r\n` : chunks);
}

/** The events of an answer that ends the turn. */
export function saysEvents(deltas: readonly string[], id: number): readonly string[] {
  return [...start(id), ...textBlock(deltas), ...end("end_turn")];
}

/** The events of an answer that says something and then calls one tool. */
export function callEvents(tool: string, input: object, id: number, deltas: readonly string[] = []) {
  const index = deltas.length === 0 ? 0 : 1;
  const call = { type: "tool_use", id: `toolu_${id}`, name: tool, input: {} };
  const delta = { type: "input_json_delta", partial_json: JSON.stringify(input) };
  return [
    ...start(id),
    ...(deltas.length === 0 ? [] : textBlock(deltas)),
    event({ type: "content_block_start", index, content_block: call }),
    event({ type: "content_block_delta", index, delta }),
    event({ type: "content_block_stop", index }),
    ...end("tool_use"),
  ];
}

function start(id: number): readonly string[] {
  const usage = { input_tokens: 100, output_tokens: 1 };
  const message = { id: `msg_${id}`, type: "message", role: "assistant", model: "bench", content: [], usage };
  return [event({ type: "message_start", message })];
}

function textBlock(deltas: readonly string[]): readonly string[] {
  return [
    event({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
    ...deltas.map((text) =>
      event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } }),
    ),
    event({ type: "content_block_stop", index: 0 }),
  ];
}

function end(stopReason: string): readonly string[] {
  const delta = { stop_reason: stopReason, stop_sequence: null };
  return [
    event({ type: "message_delta", delta, usage: { output_tokens: 20 } }),
    event({ type: "message_stop" }),
  ];
}

function event(data: { readonly type: string; readonly [key: string]: unknown }): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
}
