import { expect, test } from "bun:test";
import { mkdirSync, renameSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ToolRig } from "../../../test/support/tool-rig.ts";
import { openToolRig } from "../../../test/support/tool-rig.ts";
import { probe } from "../../../test/support/tools.ts";
import { CacheBudget } from "../../base/cache-budget.ts";
import type { CallTarget, Tool, ToolOutput } from "../tool.ts";
import { memoise } from "./memoise.ts";

const PAST_S = 1_000_000_000;

function file(rig: ToolRig, name: string, content = "x"): string {
  const path = join(rig.root, name);
  writeFileSync(path, content);
  utimesSync(path, PAST_S, PAST_S);
  return path;
}

function remembering(budget = new CacheBudget()) {
  return memoise(budget.open("tool answers"));
}

/** A read-only tool on some paths that counts its runs. */
function counter(target: CallTarget, parts: Partial<Tool> = {}) {
  const state = { runs: 0 };
  const { run: _run, ...rest } = parts;
  const tool = probe({
    plan: () => Promise.resolve({ summary: "", target }),
    run: (): ToolOutput => ({ content: [{ type: "text", text: `run ${++state.runs}` }] }),
    ...rest,
  });
  return { state, tool };
}

function reading(...paths: readonly string[]): CallTarget {
  return { kind: "paths", paths: paths.map((path) => ({ path, access: "read" })) };
}

test("[ENG-07] the same read of unchanged files in one turn is answered from memory", async () => {
  await using rig = openToolRig();
  const { tool, state } = counter(reading(file(rig, "a"), file(rig, "b")));
  const memory = [remembering()];
  const answers = [];
  for (const input of [{ n: 1 }, { n: 1 }, { n: 2 }]) answers.push(await rig.text(tool, input, memory));
  expect(answers).toEqual(["run 1", "run 1", "run 2"]);
  expect(state.runs).toBe(2);
});

test("[ENG-07] a file that was written, replaced or touched in between is read again", async () => {
  await using rig = openToolRig();
  const path = file(rig, "a");
  const { tool } = counter(reading(path));
  const memory = [remembering()];
  const changes = [
    () => utimesSync(path, PAST_S + 1, PAST_S + 1),
    () => renameSync(file(rig, "other"), path),
    () => file(rig, "a", "longer"),
  ];
  const answers = [await rig.text(tool, {}, memory)];
  for (const change of changes) {
    change();
    answers.push(await rig.text(tool, {}, memory));
  }
  expect(answers).toEqual(["run 1", "run 2", "run 3", "run 4"]);
});

test("[ENG-07] a mutating call, another turn, and a mutating call while it ran make it run again", async () => {
  await using rig = openToolRig();
  const { tool } = counter(reading(file(rig, "a")));
  const layer = remembering();
  const change = probe({ name: "Change", mutating: true });
  expect(await rig.text(tool, {}, [layer])).toBe("run 1");
  await rig.run(change, {}, [layer]);
  expect(await rig.text(tool, {}, [layer])).toBe("run 2");
  const inTurn = (turn: number) =>
    rig.text(tool, {}, [(call, context, next) => layer(call, { ...context, turn }, next)]);
  expect([await inTurn(2), await inTurn(2)]).toEqual(["run 3", "run 3"]);
  const during = probe({
    plan: () => Promise.resolve({ summary: "", target: reading(join(rig.root, "a")) }),
    run: async () => {
      await rig.run(change, {}, [layer]);
      return { content: [{ type: "text", text: "old" }] };
    },
  });
  await rig.run(during, { odd: 1 }, [layer]);
  const again = counter(reading(join(rig.root, "a")));
  expect(await rig.text(again.tool, { odd: 1 }, [layer])).toBe("run 1");
});

test("[ENG-07] what cannot be known to be the same always runs", async () => {
  await using rig = openToolRig();
  mkdirSync(join(rig.root, "folder"));
  const fresh = join(rig.root, "fresh");
  writeFileSync(fresh, "x");
  utimesSync(fresh, rig.world.clock.now() / 1_000, rig.world.clock.now() / 1_000);
  const targets: Record<string, CallTarget> = {
    folder: reading(join(rig.root, "folder")),
    missing: reading(join(rig.root, "missing")),
    fresh: reading(fresh),
    command: { kind: "command", command: "date", cwd: rig.root },
    none: { kind: "none" },
  };
  for (const [name, target] of Object.entries(targets)) {
    const { tool } = counter(target);
    const memory = [remembering()];
    await rig.run(tool, {}, memory);
    expect([name, await rig.text(tool, {}, memory)]).toEqual([name, "run 2"]);
  }
  const failing = { runs: 0 };
  const failure = probe({
    plan: () => Promise.resolve({ summary: "", target: reading(file(rig, "a")) }),
    run: () => ({ content: [{ type: "text", text: `${++failing.runs}` }], isError: true }),
  });
  const memory = [remembering()];
  await rig.run(failure, {}, memory);
  expect(await rig.text(failure, {}, memory)).toBe("error: 2");
});

test("[ENG-07 SES-12] answers are kept within the budget of all caches: those asked for longest ago run again", async () => {
  await using rig = openToolRig();
  const budget = new CacheBudget(20_000);
  const { tool, state } = counter(reading(file(rig, "a")));
  const memory = [remembering(budget)];
  for (let n = 0; n < 100; n++) {
    await rig.text(tool, { n }, memory);
    expect(budget.bytes).toBeLessThanOrEqual(10_000);
  }
  const [answers] = budget.counts();
  expect(answers?.entries).toBeGreaterThan(2);
  expect([answers?.misses, (answers?.entries ?? 0) + (answers?.evictions ?? 0)]).toEqual([100, 100]);
  expect(await rig.text(tool, { n: 99 }, memory)).toBe("run 100");
  expect(await rig.text(tool, { n: 0 }, memory)).toBe("run 101");
  expect(state.runs).toBe(101);
});
