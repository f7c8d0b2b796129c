import { expect, test } from "bun:test";
import { cutAt, readRecording, recordings } from "../../../../test/support/recordings.ts";

/** End mark of each dialect. Some servers omit it; then the end of the bytes is the end. */
const END_MARK = /data: \[DONE\]|"type":\s*"(?:message_stop|response\.completed|response\.incomplete)"/;

test("[PROV-10] what follows the end of an answer says nothing more, whether or not it comes in the same chunk", () => {
  const whole = recordings().filter((recording) => {
    const { events } = readRecording(recording, [recording.bytes]);
    return events.at(-1)?.kind === "finish" && END_MARK.test(new TextDecoder().decode(recording.bytes));
  });
  expect(new Set(whole.map(({ dialect }) => dialect)).size).toBe(3);
  const error = '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}';
  for (const recording of whole) {
    const straight = readRecording(recording, [recording.bytes]);
    for (const more of [`data: ${error}\n\n`, "data: {{{\n\ndata: {}\n\n", "data: [DONE]\n\n"]) {
      // Blank lines first, since some recordings end within their last line.
      const bytes = Buffer.concat([recording.bytes, Buffer.from(`\n\n${more}`)]);
      expect(readRecording(recording, [bytes])).toEqual(straight);
      expect(readRecording(recording, cutAt(bytes, recording.bytes.length))).toEqual(straight);
    }
  }
});
