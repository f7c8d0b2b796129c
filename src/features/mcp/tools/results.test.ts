import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { holds } from "../../../../test/support/property.ts";
import { base64Bytes } from "../../../safety/media/media-block.ts";
import { MEDIA_BYTES_MAX } from "../../../tools/chain/truncate.ts";
import { RESULT_BLOCKS_MAX, toolOutput } from "./results.ts";

const text = (shown: string) => ({ type: "text" as const, text: shown });

const WAV = btoa("RIFF\x24\0\0\0WAVE");

test("[MCP-06] texts, images and sounds of a result reach the model as what they are", () => {
  const output = toolOutput({
    content: [
      { type: "text", text: "hello" },
      { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" },
      { type: "audio", data: WAV, mimeType: "audio/wav" },
    ],
  });
  expect(output).toEqual({
    content: [
      text("hello"),
      { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } },
      { type: "audio", source: { type: "base64", media_type: "audio/wav", data: WAV } },
    ],
  });
});

test("[MCP-06] a failed call is reported as failed, and an empty result says so", () => {
  expect(toolOutput({ content: [], isError: true })).toEqual({
    content: [text("(no output)")],
    isError: true,
  });
});

test("[MCP-06] content that no model accepts is described instead of sent: broken base64, foreign kinds, giant images", () => {
  const giant = "A".repeat(Math.ceil((MEDIA_BYTES_MAX + 3) / 3) * 4);
  const { content } = toolOutput({
    content: [
      { type: "image", data: "not base64!", mimeType: "image/png" },
      { type: "image", data: "AAAA", mimeType: "image/svg+xml" },
      { type: "audio", data: "AAAA", mimeType: "text/html" },
      { type: "image", data: giant, mimeType: "image/png" },
    ],
  });
  expect(content).toEqual([
    text("[an image was left out: the server sent broken base64]"),
    text("[an image of the kind image/svg+xml was left out: models do not take it]"),
    text("[a sound of the kind text/html was left out: models do not take it]"),
    text(`[an image of ${(giant.length / 4) * 3} bytes was left out: at most ${MEDIA_BYTES_MAX} are taken]`),
  ]);
});

test("[MCP-06] resources in a result show their text or picture, links their name and address", () => {
  const { content } = toolOutput({
    content: [
      { type: "resource", resource: { uri: "demo://a", mimeType: "text/plain", text: "inside" } },
      { type: "resource", resource: { uri: "demo://b", mimeType: "image/png", blob: "iVBORw0KGgo=" } },
      { type: "resource", resource: { uri: "demo://c", mimeType: "application/zip", blob: "AAAA" } },
      { type: "resource_link", uri: "demo://d", name: "d", description: "the fourth", mimeType: "text/csv" },
    ],
  });
  expect(content).toEqual([
    text("[resource demo://a, text/plain]\ninside"),
    { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } },
    text("[resource demo://c, application/zip: binary data, 3 bytes, not shown]"),
    text("[resource link demo://d: d, the fourth, text/csv]"),
  ]);
});

test("[MCP-06] structured content is not shown again where the texts say all of it", () => {
  const shown = (said: string, structuredContent: Record<string, unknown>) =>
    toolOutput({ content: [text(said)], structuredContent }).content.length;
  expect(shown('{"b":[2],\n "a":1}', { a: 1, b: [2] })).toBe(1);
  expect(shown('{"b":true,"a":false}', { a: false, b: true })).toBe(1);
  expect(shown("line 1\nline 2\n", { content: "line 1\nline 2\n" })).toBe(1);
  expect(shown("Weather in Bern: 21.5 degrees, sunny", { city: "Bern", degrees: 21.5, sky: "sunny" })).toBe(
    1,
  );
  expect(shown("[FILE] a.txt\n[DIR] b", { entries: ["a.txt", "b"] })).toBe(1);
  expect(shown("Found 2 entries", { entries: ["a.txt", "b"] })).toBe(2);
  expect(shown("21 degrees", { degrees: 21.5 })).toBe(2);
  expect(shown("page 3 of 40", { page: 4 })).toBe(2);
  expect(shown("done", { ok: true })).toBe(2);
  expect(shown("3", { total: 3 })).toBe(2);
});

test("[MCP-06] structured content is shown once, whether the server repeats it as text or not", () => {
  const structuredContent = { a: 1, b: [true] };
  expect(toolOutput({ content: [], structuredContent }).content).toEqual([text('{"a":1,"b":[true]}')]);
  const repeated = { type: "text" as const, text: '{ "a": 1,\n "b": [true] }' };
  expect(toolOutput({ content: [repeated], structuredContent }).content).toEqual([text(repeated.text)]);
});

test("[MCP-06] a result of very many blocks is shown in part, and says how many are missing", () => {
  const content = Array.from({ length: RESULT_BLOCKS_MAX + 5 }, () => ({ type: "text" as const, text: "x" }));
  const output = toolOutput({ content });
  expect(output.content).toHaveLength(RESULT_BLOCKS_MAX + 1);
  expect(output.content.at(-1)).toEqual(text("[5 more blocks of this result were left out]"));
});

test("[MCP-06] base64 is believed only where it is whole", async () => {
  await holds(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 60 }), (bytes) => {
      expect(base64Bytes(Buffer.from(bytes).toString("base64"))).toBe(bytes.length);
    }),
  );
  await holds(
    fc.property(fc.string({ maxLength: 30 }), (any) => {
      const bytes = base64Bytes(any);
      if (bytes !== undefined) expect(Buffer.from(any, "base64")).toHaveLength(bytes);
    }),
    500,
  );
});
