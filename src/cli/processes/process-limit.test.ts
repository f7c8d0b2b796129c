import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { processLimitProblem } from "./process-limit.ts";

const limits = (soft: string) => `Limit                     Soft Limit           Hard Limit           Units
Max cpu time              unlimited            unlimited            seconds
Max processes             ${soft.padEnd(20)} 30000                processes
Max open files            4                    4                    files
`;

test("[REL-01 CLI-01] a limit of fewer processes than cinch needs is reported with its remedy, and only where it applies", () => {
  const needed = /^processes_min=(\d+)$/mu.exec(
    readFileSync(join(import.meta.dir, "../../../cinch"), "utf8"),
  )?.[1];
  expect(processLimitProblem(limits("23"), 1000)).toBe(
    `cinch: you may run only 23 processes and threads (ulimit -u), and cinch needs ${needed} at least. Raise the limit and start it again: ulimit -u 256`,
  );
  expect(processLimitProblem(limits(String(needed)), 1000)).toBeUndefined();
  expect(processLimitProblem(limits("unlimited"), 1000)).toBeUndefined();
  expect(processLimitProblem(limits("4"), 0)).toBeUndefined();
  expect(processLimitProblem("", 1000)).toBeUndefined();
});
