import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { holds } from "../../test/support/property.ts";
import { ORIGINS_MAX, originProblem, originsProblem } from "./page-origin.ts";

const ID = "abcdefghijklmnopabcdefghijklmnop";
const UUID = "0a1b2c3d-0a1b-0a1b-0a1b-0a1b2c3d4e5f";

/** Every accepted form, written out apart from the code. */
const EXACT = [
  /^https?:\/\/(?:[a-z0-9_-]+\.)*[a-z0-9_-]+(?::[1-9][0-9]{0,4})?$/,
  /^https?:\/\/\[[0-9a-f:]+\](?::[1-9][0-9]{0,4})?$/,
  /^vscode-webview:\/\/[a-z0-9-]{1,128}$/,
  /^tauri:\/\/localhost$/,
  /^chrome-extension:\/\/[a-p]{32}$/,
  /^moz-extension:\/\/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/,
];

const ORIGINS = [
  "http://localhost:3000",
  "http://127.0.0.1:5173",
  "http://[::1]:3000",
  "https://tools.example",
  "https://tools.example:8443",
  "https://xn--bcher-kva.example",
  "http://tauri.localhost",
  "tauri://localhost",
  "vscode-webview://1k2m3n4p5q6r7s8t9u0v",
  `vscode-webview://${UUID}`,
  `chrome-extension://${ID}`,
  `moz-extension://${UUID}`,
];

test("[AUTH-06] an origin is taken exactly as a browser sends it, of a web page, an editor, a program and an extension", () => {
  for (const origin of ORIGINS) expect([origin, originProblem(origin)]).toEqual([origin, undefined]);
});

test("[AUTH-06] what only looks like an origin is refused, with the nearest one that is", () => {
  const nearest: readonly (readonly [string, string])[] = [
    ["http://LOCALHOST:3000", "http://localhost:3000"],
    ["HTTPS://tools.example", "https://tools.example"],
    ["https://tools.example/", "https://tools.example"],
    ["https://tools.example/app?x#y", "https://tools.example"],
    ["https://tools.example.", "https://tools.example"],
    ["https://tools.example.:8443", "https://tools.example:8443"],
    ["https://tools.example:443", "https://tools.example"],
    ["http://tools.example:80", "http://tools.example"],
    ["http://localhost:03000", "http://localhost:3000"],
    ["http://127.1:3000", "http://127.0.0.1:3000"],
    ["http://2130706433", "http://127.0.0.1"],
    ["http://[0:0:0:0:0:0:0:1]:3000", "http://[::1]:3000"],
    ["https://bücher.example", "https://xn--bcher-kva.example"],
    ["https://tооls.example", "https://xn--tls-seda.example"], // two Cyrillic letters
    [" https://tools.example", "https://tools.example"],
    ["https:\\\\tools.example", "https://tools.example"],
    ["tools.example:8443", "https://tools.example:8443"],
    ["localhost:3000", "http://localhost:3000"],
    [`chrome-extension://${ID}/popup.html`, `chrome-extension://${ID}`],
    [`Moz-Extension://${UUID.toUpperCase()}`, `moz-extension://${UUID}`],
    ["tauri://localhost/", "tauri://localhost"],
    ["vscode-webview://ABC", "vscode-webview://abc"],
  ];
  for (const [wrong, right] of nearest)
    expect([wrong, originProblem(wrong)?.replace(/^.*; write /, "")]).toEqual([wrong, right]);
  const none = [
    "",
    "https://",
    "https://user@tools.example",
    "https://localhost@evil.example",
    "https://user:word@tools.example",
    "http://localhost:1.evil",
    "http://localhost:99999",
    "http://localhost:0",
    "http://localhost:",
    "tauri://evil",
    "chrome-extension://short",
    `chrome-extension://${ID}x`,
    "moz-extension://*",
    "vscode-webview://a.b",
    "file:///a",
    "data:text/html,x",
    "blob:https://tools.example/x",
    "javascript:0",
    "ftp://tools.example",
    "https://a\u0000b",
    "https://tools.example\nhttps://evil.example",
    `https://${"a".repeat(400)}.example`,
  ];
  for (const wrong of none) {
    const problem = originProblem(wrong);
    expect([wrong, problem]).toEqual([wrong, expect.stringMatching(/pattern|is not an origin/)]);
  }
  expect(originProblem("null")).toContain("every local file and sandboxed page");
  for (const pattern of ["*", "https://*.example", "http://localhost:*", "chrome-extension://*"])
    expect(originProblem(pattern)).toContain("is a pattern");
});

test("[AUTH-06] no text but those of the exact forms is taken, and each that is taken is what a browser makes of it", async () => {
  const piece = fc.constantFrom(
    ...["http", "https", "HTTP", "tauri", "chrome-extension", "moz-extension", "vscode-webview", "null", "*"],
    ...[
      "://",
      ":",
      "/",
      "//",
      "\\",
      ".",
      "..",
      "@",
      "?",
      "#",
      "[",
      "]",
      "::1",
      "%2e",
      "\t",
      " ",
      "\u3002",
      "\uff0e",
    ],
    ...[
      "localhost",
      "LOCALHOST",
      "127.0.0.1",
      "127.1",
      "0x7f.1",
      "tools.example",
      "xn--a",
      "bücher",
      "ß",
      "\u0131",
    ],
    ...["80", "443", "3000", "0", "65536", "-1", ID, UUID, "evil", ",", "\u0000", "\u200d"],
  );
  const text = fc.oneof(
    fc.string({ unit: "grapheme" }),
    fc.webUrl(),
    fc.array(piece, { maxLength: 9 }).map((pieces) => pieces.join("")),
    fc.tuple(fc.constantFrom(...ORIGINS), piece, fc.nat({ max: 40 })).map(([origin, added, at]) => {
      return origin.slice(0, at) + added + origin.slice(at);
    }),
    fc.tuple(fc.constantFrom(...ORIGINS), fc.nat({ max: 40 })).map(([origin, at]) => {
      return origin.slice(0, at) + origin.slice(at, at + 1).toUpperCase() + origin.slice(at + 1);
    }),
  );
  let taken = 0;
  await holds(
    fc.property(text, (given) => {
      if (originProblem(given) !== undefined) return true;
      taken += 1;
      const isWeb = given.startsWith("http");
      return EXACT.some((form) => form.test(given)) && (!isWeb || new URL(given).origin === given);
    }),
    20_000,
  );
  expect(taken).toBeGreaterThan(100);
});

test("[AUTH-06] what a refusal suggests is taken", async () => {
  await holds(
    fc.property(fc.oneof(fc.webUrl(), fc.string()), (given) => {
      const [, suggested] = /; write (\S+)$/.exec(originProblem(given) ?? "") ?? [];
      return suggested === undefined || originProblem(suggested) === undefined;
    }),
    2_000,
  );
});

test("[AUTH-06] a list has at most 64 origins, and names the first that is none", () => {
  const many = Array.from({ length: ORIGINS_MAX + 1 }, (_none, at) => `https://page-${at}.example`);
  expect(originsProblem(many.slice(1))).toBeUndefined();
  expect(originsProblem(many)).toBe("65 origins are named, at most 64 count");
  expect(originsProblem(["https://tools.example", "Https://tools.example"])).toContain(
    '"Https://tools.example"',
  );
});
