import { expect, test } from "bun:test";
import { linkSync, renameSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CacheBudget } from "../src/base/cache-budget.ts";
import { SILENT_LOG } from "../src/base/log.ts";
import type { Files } from "../src/base/world.ts";
import { permissionGate } from "../src/guard/permissions/judge/gate.ts";
import { SessionRules } from "../src/guard/permissions/rules/session-rules.ts";
import { keyFiles } from "../src/guard/sandbox/policy/key-files.ts";
import { hostFiles } from "../src/platform/files/files.ts";
import type { Policy } from "../src/session/guard/policy.ts";
import type { CachedResult } from "../src/tools/chain/memoise.ts";
import { memoise } from "../src/tools/chain/memoise.ts";
import { readTool } from "../src/tools/files/read.ts";
import type { ToolMiddleware } from "../src/tools/middleware.ts";
import { openToolRig } from "./support/tool-rig.ts";

const POLICY: Policy = {
  ceiling: "WorkspaceWrite",
  firm: false,
  strict: false,
  quiet: true,
  bashInSandbox: "allow",
  rules: [],
  ownDirectories: [],
};

/** Everything of a session's chain that looks at files, around a Read. `key` is the only key of the machine. */
function guarded(key: string): readonly ToolMiddleware[] {
  const gate = permissionGate({
    policy: () => POLICY,
    session: new SessionRules(),
    keys: keyFiles(hostFiles, async () => [key], SILENT_LOG),
    ask: async () => ({ kind: "nobody" }),
    autoApprove: false,
    configPath: "/home/user/.config/cinch/config.toml",
  });
  return [gate, memoise(new CacheBudget().open<CachedResult>("tool answers"))];
}

/** The machine's files, with a list of what was asked of them. */
function watched() {
  const asked: string[] = [];
  const calls = Object.entries(hostFiles).map(([name, act]: [string, (...all: never[]) => unknown]) => [
    name,
    (...all: never[]) => {
      asked.push(name);
      return act(...all);
    },
  ]);
  return { asked, files: Object.fromEntries(calls) as Partial<Files> };
}

test("[PERF-02 PERM-10] a Read looks at its path once, whoever judges it, and opens it once", async () => {
  const { asked, files } = watched();
  await using rig = openToolRig(files, { env: { HOME: "/home/user" } });
  const path = join(rig.root, "notes.txt");
  writeFileSync(path, "one\ntwo\n");
  utimesSync(path, 1, 1); // changed long ago: its result may be remembered
  const middleware = guarded(join(rig.outside, "key"));
  expect(await rig.text(readTool, { file_path: path }, middleware)).toBe("1\tone\n2\ttwo");
  expect(asked.sort()).toEqual(["lstat", "openResolved", "realpath"]);
});

/** A small file is read at once, a large one through another thread. */
test.each([8, 300_000])(
  "[PERM-10 S22 S29] a file of %d bytes that became another name of a key after it was judged is not read",
  async (bytes) => {
    await using rig = openToolRig();
    const key = join(rig.outside, "key");
    const path = join(rig.root, "notes.txt");
    writeFileSync(key, "k".repeat(bytes));
    linkSync(key, join(rig.root, "spare"));
    const middleware = guarded(key);
    const swap: ToolMiddleware = (call, context, next) => {
      renameSync(join(rig.root, "spare"), path);
      return next(call, context);
    };
    const read = (more: readonly ToolMiddleware[] = []) =>
      rig.text(readTool, { file_path: path }, [...middleware, ...more]);
    writeFileSync(path, "h".repeat(bytes));
    expect(await read()).toStartWith("1\th");
    expect(await read([swap])).toBe(
      `error: notes.txt: ${path} is not what it was a moment ago: a part of it was replaced`,
    );
    expect(await read()).toContain(`another name of ${key}`);
  },
);
