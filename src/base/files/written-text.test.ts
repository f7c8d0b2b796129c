import { expect, test } from "bun:test";
import { encode } from "../text/text.ts";
import { decodeWrittenText } from "./written-text.ts";

const NO_UTF8 = "it is not UTF-8 text; save it as UTF-8";

test("[PROF-01] what a person wrote is read as UTF-8, its byte order mark dropped", () => {
  expect(decodeWrittenText(encode("\ufeffa = 'ä'\n"))).toEqual({ kind: "text", text: "a = 'ä'\n" });
  expect(decodeWrittenText(new Uint8Array())).toEqual({ kind: "text", text: "" });
});

test("[PROF-01] the first line that is not UTF-8 is reported, also the last one without an end, and of UTF-16", () => {
  const latin1 = Buffer.from("level = 'ReadOnly'\r\n# ä\nquiet = true\n# ö", "latin1");
  expect(decodeWrittenText(latin1)).toEqual({ kind: "problem", line: 2, problem: NO_UTF8 });
  const cut = encode("one\ntwo\nä").subarray(0, -1);
  expect(decodeWrittenText(cut)).toEqual({ kind: "problem", line: 3, problem: NO_UTF8 });
  const utf16 = Buffer.from("\ufeffa = 1\n", "utf16le");
  expect(decodeWrittenText(utf16)).toEqual({ kind: "problem", line: 1, problem: NO_UTF8 });
});
