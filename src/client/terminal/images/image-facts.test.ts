import { expect, test } from "bun:test";
import fc from "fast-check";
import { imageFacts } from "./image-facts.ts";

const bytes = (...parts: readonly (string | readonly number[])[]) =>
  new Uint8Array(
    parts.flatMap((part) =>
      typeof part === "string" ? [...part].map((each) => each.charCodeAt(0)) : [...part],
    ),
  );

test("[TUI-08] type and size of an image are read from its first bytes", () => {
  const size = { width: 640, height: 480 };
  const png = bytes("\x89PNG\r\n\x1a\n", [0, 0, 0, 13], "IHDR", [0, 0, 2, 128, 0, 0, 1, 224]);
  expect(imageFacts(png)).toEqual({ mediaType: "image/png", size });
  expect(imageFacts(bytes("GIF89a", [128, 2, 224, 1]))).toEqual({ mediaType: "image/gif", size });
  const jpeg = bytes([0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2, 0xff, 0xc2, 0, 11, 8, 1, 224, 2, 128, 3]);
  expect(imageFacts(jpeg)).toEqual({ mediaType: "image/jpeg", size });
  const lossy = bytes("RIFF\0\0\0\0WEBPVP8 ", [0, 0, 0, 0, 0, 0, 0, 0x9d, 0x01, 0x2a, 128, 2, 224, 1]);
  expect(imageFacts(lossy)).toEqual({ mediaType: "image/webp", size });
  const lossless = bytes("RIFF\0\0\0\0WEBPVP8L", [0, 0, 0, 0, 0x2f, 0x7f, 0xc2, 0x77, 0, 0, 0, 0, 0, 0]);
  expect(imageFacts(lossless)).toEqual({ mediaType: "image/webp", size });
  const extended = bytes("RIFF\0\0\0\0WEBPVP8X", [0, 0, 0, 0, 0, 0, 0, 0, 127, 2, 0, 223, 1, 0]);
  expect(imageFacts(extended)).toEqual({ mediaType: "image/webp", size });
  expect(imageFacts(bytes("not an image"))).toBeUndefined();
});

test("[TUI-08] an image that is cut has a type, and no file breaks the reader", () => {
  expect(imageFacts(bytes("\x89PNG\r\n\x1a\n"))).toEqual({ mediaType: "image/png" });
  const heads = ["\x89PNG\r\n\x1a\n", "\xff\xd8\xff", "GIF8", "RIFF\0\0\0\0WEBP", ""];
  fc.assert(
    fc.property(fc.constantFrom(...heads), fc.uint8Array({ maxLength: 60 }), (head, rest) => {
      imageFacts(bytes(head, [...rest]));
    }),
  );
});
