import { expect, test } from "bun:test";
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { ToolRig } from "../../../test/support/tool-rig.ts";
import { openToolRig } from "../../../test/support/tool-rig.ts";
import { hostRipgrep } from "../../platform/ripgrep.ts";
import { globTool } from "../search/glob.ts";
import { grepTool } from "../search/grep.ts";
import { lsTool } from "../search/ls.ts";
import type { Tool } from "../tool.ts";
import { editTool } from "./edit.ts";
import { readTool } from "./read.ts";
import { writeTool } from "./write.ts";

const ripgrep = hostRipgrep("/nowhere");
const CALLS_MIN = 2_000;
const CALLS_MAX = 20_000;

/** Plans a call, lets something happen to the files, then runs exactly that plan. */
async function planThenRun(rig: ToolRig, { tool, input, between }: Swap): Promise<string> {
  const plan = await tool.plan(input, rig.context);
  between();
  return await tool.run(plan, rig.context).then(
    (output) => `ran: ${JSON.stringify(output.content)}`,
    (thrown: unknown) => (thrown instanceof Error ? thrown.message : String(thrown)),
  );
}

interface Swap {
  readonly tool: Tool;
  readonly input: object;
  readonly between: () => void;
}

function withFolder(rig: ToolRig): () => void {
  mkdirSync(join(rig.root, "dir"));
  writeFileSync(join(rig.root, "dir/f"), "inside");
  writeFileSync(join(rig.outside, "f"), "outside");
  return () => {
    renameSync(join(rig.root, "dir"), join(rig.root, "moved"));
    symlinkSync(rig.outside, join(rig.root, "dir"));
  };
}

test("[PERM-10 S29] a folder that is swapped for a link after the plan is refused by every file tool", async () => {
  const calls: readonly (readonly [Tool, object])[] = [
    [readTool, { file_path: "dir/f" }],
    [writeTool, { file_path: "dir/new", content: "x" }],
    [writeTool, { file_path: "dir/deep/new", content: "x" }],
    [editTool, { file_path: "dir/f", old_string: "outside", new_string: "x" }],
    [lsTool, { path: "dir" }],
    [grepTool(ripgrep), { pattern: "outside", path: "dir" }],
    [grepTool(ripgrep), { pattern: "outside", path: "dir/f" }],
    [globTool(ripgrep), { pattern: "dir/*" }],
  ];
  for (const [tool, input] of calls) {
    await using rig = openToolRig();
    const between = withFolder(rig);
    const told = await planThenRun(rig, { tool, input, between });
    expect(told).toMatch(/is not what it was a moment ago|is not a directory/);
    expect(readdirSync(rig.outside)).toEqual(["f"]);
    expect(readFileSync(join(rig.outside, "f"), "utf8")).toBe("outside");
  }
});

test("[PERM-10 S29] a file that is swapped for a link after the plan is not read and not written", async () => {
  await using rig = openToolRig();
  writeFileSync(join(rig.outside, "f"), "outside");
  const swap = () => {
    rmSync(join(rig.root, "f"), { force: true });
    symlinkSync(join(rig.outside, "f"), join(rig.root, "f"));
  };
  writeFileSync(join(rig.root, "f"), "inside");
  expect(await planThenRun(rig, { tool: readTool, input: { file_path: "f" }, between: swap })).toMatch(
    /a moment ago/,
  );
  swap();
  rmSync(join(rig.root, "f"));
  const creation = { file_path: "f", content: "x" };
  expect(await planThenRun(rig, { tool: writeTool, input: creation, between: swap })).toMatch(/a moment ago/);
  expect(readFileSync(join(rig.outside, "f"), "utf8")).toBe("outside");
});

test("[PERM-10 S29] while a folder and a link are swapped without pause, nothing outside is read or written", async () => {
  await using rig = openToolRig();
  withFolder(rig);
  const swapper = swapWithoutPause(rig);
  await swapper.stdout.getReader().read();
  let refused = 0;
  let outside = 0;
  try {
    for (let i = 0; i < CALLS_MAX && (i < CALLS_MIN || refused === 0); i++) {
      // Planned while the folder is a folder: what is tried is the moment between check and use.
      const target = {
        path: join(rig.root, "dir/f"),
        spelled: join(rig.root, "dir/f"),
        shown: "dir/f",
        inside: true,
      };
      const info = { kind: "file", size: 6, modifiedMs: 0, mode: 0o644, identity: "" } as const;
      const reading = {
        summary: "",
        target: { kind: "none" },
        file: { ...target, info },
        offset: 1,
        limit: 9,
      } as const;
      const fresh = join(rig.root, `dir/n${i}`);
      const file = { path: fresh, spelled: fresh, shown: "n", inside: true, info: undefined };
      const writing = { summary: "", target: { kind: "none" }, file, content: "x" } as const;
      const outcome = await readTool.run(reading, rig.context).catch(() => undefined);
      if (outcome === undefined) refused += 1;
      if (JSON.stringify(outcome)?.includes("outside")) outside += 1;
      await writeTool.run(writing, rig.context).catch(() => undefined); // refused, or written inside
    }
  } finally {
    swapper.kill();
    await swapper.exited;
  }
  expect(outside).toBe(0);
  expect(readdirSync(rig.outside)).toEqual(["f"]);
  expect(refused).toBeGreaterThan(0);
}, 300_000);

/** Another process that flips `dir` between the real folder and a link to the one outside, as fast as it can. */
function swapWithoutPause(rig: ToolRig) {
  const script = `
    const { renameSync, symlinkSync } = require("node:fs");
    process.chdir(${JSON.stringify(rig.root)});
    symlinkSync(${JSON.stringify(rig.outside)}, "link");
    let junk = 0;
    const move = (from, to) => {
      // A write may have made the folder anew in the moment when there was none: put that aside.
      try { renameSync(from, to); } catch { renameSync(to, "junk" + junk++); renameSync(from, to); }
    };
    for (let i = 0; ; i++) {
      move("dir", "real");
      move("link", "dir");
      move("dir", "link");
      move("real", "dir");
      if (i === 0) console.log("swapping");
    }`;
  const argv = [process.execPath, "--no-install", "--no-env-file", "--config=/dev/null", "-e", script];
  return Bun.spawn(argv, { cwd: rig.outside, stdout: "pipe", stderr: "inherit", env: {} });
}
