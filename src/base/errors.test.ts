import { expect, test } from "bun:test";
import { BootFailure } from "../app/engine/boot.ts";
import { asError, customError, framesOf, HarnessError, hasReason, messageOf, stackOf } from "./errors.ts";
import { TEXTS } from "./reason-texts.ts";
import type { Fields, Reason } from "./reasons.ts";
import { reasonText } from "./reasons.ts";

const REASONS = Object.keys(TEXTS) as readonly Reason[];

test("[BUS-03] every placeholder of every text can be filled, and none is left", () => {
  for (const reason of REASONS) {
    const slots = [...TEXTS[reason].matchAll(/<([^<>]*)>/g)].map(([, name = ""]) => name);
    const fields = Object.fromEntries(slots.map((slot) => [slot, `value of ${slot}`]));
    const text = reasonText(reason, fields as Fields<typeof reason>);
    expect({ reason, left: /<[^<>]*>/.exec(text)?.[0] }).toEqual({ reason, left: undefined });
    for (const slot of slots) expect(text).toContain(`value of ${slot}`);
  }
});

test("[BUS-03] a reason that the table lacks is named", () => {
  for (const reason of ["busy", "toString"]) {
    const make = () => new HarnessError(reason as Reason, {} as Fields<Reason>);
    expect(make).toThrow(`there is no reason "${reason}"; docs/protocol/errors.md lists them`);
  }
});

test("[BUS-03] what is filled in is text: a value with angle brackets or dollars is not read again", () => {
  const error = new HarnessError("HookTimeout", {
    event: "<cmd>",
    cmd: "echo $& $1 <timeout>",
    timeout: "5",
  });
  expect(error.message).toBe("Hook '<cmd>' command 'echo $& $1 <timeout>' exceeded its 5s deadline. Killed.");
});

test("[BUS-03] a plugin's refusal has its own reason, text and fields, in its stack too", () => {
  const error = customError({ reason: "Custom:tea:cold", message: "the tea is cold", details: { cup: 2 } });
  expect(error).toBeInstanceOf(HarnessError);
  const fields: unknown = error.fields;
  expect([String(error.reason), error.message, fields]).toEqual([
    "Custom:tea:cold",
    "the tea is cold",
    { cup: 2 },
  ]);
  expect(stackOf(error)).not.toContain(reasonText("InternalError", { what: "the tea is cold" }));
  expect(Object.keys(error)).not.toContain("message");
});

test("[BUS-03] a start that a plugin's refusal ends has its reason and text", () => {
  const cause = customError({ reason: "Custom:tea:cold", message: "the tea is cold" });
  const failure = new BootFailure("boiling water", cause);
  expect([String(failure.reason), failure.message]).toEqual([
    "Custom:tea:cold",
    "the tea is cold (while boiling water)",
  ]);
});

test("[BUS-03] a reason is for programs: it is distinct, with its fields and its origin", () => {
  const cause = new Error("below");
  const error: unknown = new HarnessError(
    "ProfileMissing",
    { name: "x", meant: "", known: "default" },
    { cause },
  );
  expect(hasReason(error, "ProfileMissing") && error.fields.name).toBe("x");
  expect(hasReason(error, "UsageInvalid")).toBe(false);
  expect(hasReason(new Error("ProfileMissing"), "ProfileMissing")).toBe(false);
  expect(asError(error).cause).toBe(cause);
  expect([messageOf("plain"), messageOf(cause), asError("plain").message]).toEqual([
    "plain",
    "below",
    "plain",
  ]);
});

test("[PLUG-01 REL-06] whatever foreign code has thrown has words and a stack, and to read them never throws", () => {
  const hostile = Object.defineProperties(new Error("x"), {
    message: {
      get() {
        throw new Error("gotcha");
      },
    },
    stack: { value: 7 },
  });
  const nothing = "an error that says nothing of itself";
  for (const thrown of [hostile, Object.create(null)]) expect(messageOf(thrown)).toBe(nothing);
  expect([stackOf(hostile), framesOf(hostile), asError(Object.create(null)).message]).toEqual([
    "7",
    [],
    nothing,
  ]);
  expect([messageOf(Symbol("s")), stackOf(undefined), framesOf("  at x")]).toEqual([
    "Symbol(s)",
    "undefined",
    [],
  ]);
  expect(framesOf(new Error("no\n  message"))[0]).toStartWith("at ");
});
