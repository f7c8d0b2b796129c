import { expect, test } from "bun:test";
import fc from "fast-check";
import { holds } from "../../../test/support/property.ts";
import { printUsd } from "./money.ts";

test.each([
  [0, "0.0000"],
  [0.25, "0.2500"],
  [12.3456, "12.3456"],
  [0.0043, "0.0043"],
  [0.00043, "0.00043"],
  [0.000001234, "0.0000012"],
  [0.0000999, "0.000100"],
  [3e-9, "0.0000000030"],
] as const)("[ENG-13] %d dollars read as %s", (usd, text) => {
  expect(printUsd(usd)).toBe(text);
});

test("[ENG-13] an amount above zero never reads as zero, and is shown within a tenth", async () => {
  const amounts = fc.double({ min: 1e-90, max: 1e6, noNaN: true });
  await holds(fc.property(amounts, (usd) => Math.abs(Number(printUsd(usd)) - usd) <= usd / 10));
});
