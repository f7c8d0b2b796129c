import { expect, test } from "bun:test";
import type { SecretEntered } from "./secret-field.ts";
import { SecretField } from "./secret-field.ts";

function entered(...keys: readonly string[]): SecretEntered | undefined {
  const field = new SecretField();
  for (const text of keys) {
    const outcome = field.take({ kind: "keys", text });
    if (outcome !== undefined) return outcome;
  }
  return undefined;
}

test("[CRED-01 CTL-19] an unseen text can be corrected, cleared and left, and cursor keys put nothing into it", () => {
  expect(entered("ab", "\u007f", "c\r")).toEqual({ text: "ac" });
  expect(entered("ab\u0015cd\n")).toEqual({ text: "cd" });
  expect(entered("a\u001b[D", "\u001bOP", "\u001b[3~", "\u001b", "b\r")).toEqual({ text: "ab" });
  expect([entered("ab\u0003"), entered("\u0004"), entered("ab")]).toEqual(["left", "left", undefined]);
});

test("[CRED-01 CTL-19] a paste ends nothing, its line breaks stay, and it is kept to a limit", () => {
  const field = new SecretField();
  expect(field.take({ kind: "paste", text: "a\nb" })).toBeUndefined();
  expect(field.take({ kind: "keys", text: "\r" })).toEqual({ text: "a\nb" });
  const long = new SecretField();
  for (let at = 0; at < 3; at++) long.take({ kind: "paste", text: "x".repeat(65_536) });
  expect(long.take({ kind: "keys", text: "\r" })).toEqual({ text: "x".repeat(65_536) });
});
