import { expect, test } from "bun:test";
import type { Log } from "../base/log.ts";
import { redactedLog } from "./redacted-log.ts";

test("[SES-05 LOG-01 S54] no line of the operational log holds a secret, whoever wrote it", () => {
  const lines: unknown[] = [];
  const sink = (component: string): Log => ({
    for: (name) => sink(name),
    write: (...line) => void lines.push([component, ...line]),
  });
  const token = `ghp_${"5iydacpid9zwx3c536l4"}${"bkcu9cu95xqoq0ks"}`;
  const log = redactedLog(sink(""));
  log.write("info", `with ${token}`);
  log
    .for("engine")
    .write("warn", "failed", { what: `password = "hunter2hunter2"`, deep: [{ token }], tries: 3 });
  expect(lines).toEqual([
    ["", "info", "with «redacted:github-token»"],
    [
      "engine",
      "warn",
      "failed",
      { what: `password = "«redacted:secret»"`, deep: [{ token: "«redacted:github-token»" }], tries: 3 },
    ],
  ]);
});
