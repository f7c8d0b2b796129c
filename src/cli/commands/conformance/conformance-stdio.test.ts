import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { SdkError, SdkErrorCode } from "@modelcontextprotocol/client";
import { temporaryDirectory } from "../../../../test/support/world.ts";
import { initializeMsMax, mcpOverStdio, unusableTarget } from "./conformance-stdio.ts";

test("[CTL-13] at a terminal a program may ask a person twice before it answers initialize", () => {
  expect(initializeMsMax(true)).toBeGreaterThan(2 * 300_000);
  expect(initializeMsMax(false)).toBe(60_000);
});

test("[CTL-13] a server under test gets the environment of every child, and its token", async () => {
  await using directory = temporaryDirectory();
  const file = join(directory.path, "env");
  const { PATH = "/usr/bin:/bin" } = process.env;
  const environment = {
    PATH,
    OWN: "kept",
    BASH_ENV: "/x",
    BUN_OPTIONS: "--smol",
    CINCH_TOKEN: "the person's",
  };
  const transport = await mcpOverStdio(["/bin/sh", "-c", `env > ${file}`], environment)(
    "minted",
    new AbortController().signal,
  );
  const closed = Promise.withResolvers<void>();
  transport.onclose = () => closed.resolve();
  await transport.start();
  await closed.promise;
  const lines = readFileSync(file, "utf8").split("\n");
  expect(lines).toContain("OWN=kept");
  expect(lines).toContain("CINCH_TOKEN=minted");
  expect(lines.filter((line) => /^(?:BASH_ENV|BUN_OPTIONS)=/.test(line))).toEqual([]);
});

test("[CTL-13] a program that does not answer in time is named as that", () => {
  const late = new SdkError(SdkErrorCode.RequestTimeout, "Request timed out");
  expect(unusableTarget(["server", "--x"], late)).toMatchObject({
    reason: "TargetUnusable",
    message: "server cannot be tested as an MCP server: it did not answer initialize in time",
  });
});
