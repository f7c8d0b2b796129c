import { expect, test } from "bun:test";
import { SdkError, SdkErrorCode } from "@modelcontextprotocol/client";
import { initializeMsMax, unusableTarget } from "./conformance-stdio.ts";

test("[CTL-13] at a terminal a program may ask a person twice before it answers initialize", () => {
  expect(initializeMsMax(true)).toBeGreaterThan(2 * 300_000);
  expect(initializeMsMax(false)).toBe(60_000);
});

test("[CTL-13] a program that does not answer in time is named as that", () => {
  const late = new SdkError(SdkErrorCode.RequestTimeout, "Request timed out");
  expect(unusableTarget(["server", "--x"], late)).toMatchObject({
    reason: "TargetUnusable",
    message: "server cannot be tested as an MCP server: it did not answer initialize in time",
  });
});
