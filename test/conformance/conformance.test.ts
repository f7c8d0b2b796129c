import { describe, expect, test } from "bun:test";
import { SCENARIOS } from "../../src/conformance/scenarios/all.ts";
import { walk } from "../../src/conformance/walk.ts";
import { openMemoryServer } from "./server.ts";

const { signal } = new AbortController();

describe("conformance in memory", () => {
  for (const wire of ["inproc", "rest", "ws"] as const) {
    test(`[CTL-13] our own server walks every scenario: ${wire}`, async () => {
      await using server = await openMemoryServer();
      const walked = await Array.fromAsync(walk({ ...server.parts(wire), scenarios: SCENARIOS }, signal));
      expect(walked.filter(({ outcome }) => outcome !== "ok")).toEqual([]);
    }, 120_000);
  }
});
