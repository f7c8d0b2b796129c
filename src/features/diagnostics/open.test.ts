import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../../test/support/source.ts";
import { openToolRig } from "../../../test/support/tool-rig.ts";
import { until } from "../../../test/support/until.ts";
import { toolMiddlewareAt } from "../../app/session/chains/chains.ts";
import type { Spawn } from "../../base/world.ts";
import { NOTHING } from "../../config/config.ts";
import type { SessionSandboxes } from "../../session/guard/session-sandbox.ts";
import type { SessionPlan } from "../../session/plan.ts";
import { openDiagnostics } from "./open.ts";

const TIMEOUT_MS = 300_000;
const CHILD = join(ROOT, "test", "support", "language-server-child.ts");

test(
  "[TOOL-11 ENG-28] each folder has a server of its own in the sandbox of that folder, and of four the worktree that was left longest ago has none any more",
  async () => {
    await using rig = openToolRig();
    const [started, ended, confined]: [string[], string[], string[]] = [[], [], []];
    const spawn: Spawn = (options) => {
      const child = rig.world.spawn(options);
      started.push(options.cwd);
      void child.exited.then(() => ended.push(options.cwd));
      return child;
    };
    const world = { ...rig.world, spawn };
    const command = [process.execPath, "--no-install", "--no-env-file", "--config=/dev/null", CHILD] as const;
    const server = {
      name: "bad",
      kind: "language-server",
      files: ["*.txt"],
      command,
      unconfined: true,
    } as const;
    const part = openDiagnostics({
      world,
      workspace: rig.workspace,
      plan: () =>
        ({
          config: NOTHING,
          profile: { path: "/p.toml", sections: new Map([["diagnostics", [server]]]) },
        }) as unknown as SessionPlan,
      sandbox: {
        at(root: string) {
          confined.push(root);
          return WITHOUT;
        },
      } as SessionSandboxes,
    });
    const [gate] = toolMiddlewareAt(part.around ?? [], "hooks");
    const edit = async (root: string) => {
      mkdirSync(root, { recursive: true });
      const path = join(root, "a.txt");
      writeFileSync(path, "bad");
      const call = {
        ...rig.callOf(EDIT, {}),
        plan: { summary: "x", target: { kind: "paths", paths: [{ path, access: "write" }] } } as const,
      };
      const context = { ...rig.context, world, workspace: { ...rig.workspace, root } };
      const { content = [] } = (await gate?.(call, context, async () => ({ content: [] }))) ?? {};
      return content.map((block) => (block.type === "text" ? block.text.split("\n").at(-1) : ""));
    };
    const roots = [rig.root, ...["one", "two", "three"].map((name) => join(rig.outside, name))];
    for (const root of roots) expect(await edit(root)).toEqual(["a.txt:1:1: error no-bad: this is bad"]);
    expect([started, confined]).toEqual([roots, roots]);
    await until("one is ended", () => ended.length > 0);
    expect(ended).toEqual(roots.slice(1, 2));
    await part?.settle?.();
    expect(ended.toSorted()).toEqual(roots.toSorted());
  },
  TIMEOUT_MS,
);

/** A machine that has no sandbox. */
const WITHOUT: ReturnType<SessionSandboxes["at"]> = {
  confinement: async () => ({ kind: "none", why: "there is none", policy: "ask" }),
  current: async () => ({ kind: "none" }),
  accept: async () => undefined,
  grant: async () => undefined,
  search: async () => undefined,
  [Symbol.asyncDispose]: async () => undefined,
};

const EDIT = {
  name: "Probe",
  description: "probes",
  inputSchema: { type: "object" },
  mutating: true,
  level: "ReadOnly",
  plan: () => Promise.reject(new Error("not planned")),
  run: () => Promise.reject(new Error("not run")),
} as const;
