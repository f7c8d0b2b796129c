import { expect } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { requireProgram } from "../../../test/support/requires.ts";
import { temporaryDirectory, testWorld } from "../../../test/support/world.ts";
import { settingsOf } from "../../config/settings/settings.ts";
import type { Sandbox } from "../../session/guard/sandbox.ts";
import type { CallPlan } from "../../tools/tool.ts";
import { bubblewrap } from "./bubblewrap/bubblewrap.ts";
import { sandboxSection } from "./config.ts";
import type { SandboxSources } from "./policy/sandbox-sources.ts";
import { openSandbox } from "./sandbox.ts";

const test = requireProgram("bwrap");

interface Opened {
  readonly root: string;
  readonly home: string;
}

const SETTINGS = settingsOf(sandboxSection, {});

/** Returns the sandbox of a session in such a folder, and what its user is told if there is none. */
async function opened({ root, home }: Opened, wishes: Partial<SandboxSources> = {}) {
  const told: string[] = [];
  const [config, data, state] = [".config", ".local/share", ".local/state"].map((each) =>
    join(home, each),
  ) as [string, string, string];
  await using sandbox = openSandbox({
    world: testWorld(),
    root,
    home,
    paths: { config, data, state },
    programs: { path: join(home, "bin"), writable: { all: [] } },
    settings: SETTINGS,
    projectHidden: () => Promise.resolve([]),
    onUnavailable: (text) => void told.push(text),
    onNotice: (text) => void told.push(text),
    ...wishes,
  });
  const { kind } = await sandbox.confinement({
    summary: "x",
    target: { kind: "command", command: "true", cwd: root },
  });
  return { kind, told };
}

// Below /tmp or not: what the host has there stands elsewhere inside.
for (const parent of ["/tmp", "/var/tmp"]) {
  test(`[SBX-01] a workspace that is a home, holds one, or lies in one below ${parent} has a sandbox`, async () => {
    const base = mkdtempSync(join(parent, "cinch-home-"));
    try {
      const home = join(base, "home");
      mkdirSync(join(home, "project"), { recursive: true });
      mkdirSync(join(home, "bin"));
      mkdirSync(join(home, ".ssh"));
      for (const root of [base, home, join(home, "project")]) {
        expect([root, await opened({ root, home })]).toEqual([root, { kind: "working", told: [] }]);
      }
    } finally {
      rmSync(base, { recursive: true });
    }
  });
}

test("[SBX-02] in /tmp itself there is no sandbox, and the reported reason is the true one", async () => {
  const home = mkdtempSync("/tmp/cinch-home-");
  try {
    expect(await opened({ root: "/tmp", home })).toEqual({
      kind: "none",
      told: [
        "There is no sandbox for commands: the workspace is /tmp itself, in whose place commands have a folder of their own. Each command is asked for. Remedy: start cinch in a folder of your project.",
      ],
    });
  } finally {
    rmSync(home, { recursive: true });
  }
});

test("[SBX-02] without a sandbox the fate of commands is announced: refused, or run by --auto-approve", async () => {
  const home = mkdtempSync("/tmp/cinch-home-");
  const then = async (wishes: Partial<SandboxSources>) =>
    (await opened({ root: "/tmp", home }, wishes)).told.map((text) => text.split(". ")[1]);
  try {
    expect(await then({ settings: { ...SETTINGS, unavailable: "refuse" } })).toEqual(["No command runs"]);
    expect(await then({ autoApprove: true })).toEqual([
      "Each command runs with your own rights, since --auto-approve says yes to it",
    ]);
  } finally {
    rmSync(home, { recursive: true });
  }
});

// Seen red with one verdict for the whole session in the place of one for each plan.
test("[SBX-03 PERM-10] what was judged of one call counts for no other, and once", async () => {
  await using directory = temporaryDirectory();
  const root = join(directory.path, "work");
  mkdirSync(root);
  let works = true;
  const real = bubblewrap({ world: testWorld() });
  const backend: Sandbox = {
    name: "bubblewrap",
    prepare: async (policy) =>
      works ? await real.prepare(policy) : { kind: "unavailable", why: "gone", remedy: "wait" },
  };
  const [config, data, state] = ["config", "data", "state"].map((each) => join(directory.path, each)) as [
    string,
    string,
    string,
  ];
  await using sandbox = openSandbox({
    world: testWorld(),
    root,
    paths: { config, data, state },
    backend,
    settings: SETTINGS,
    projectHidden: () => Promise.resolve([]),
    onUnavailable: () => undefined,
    onNotice: () => undefined,
  });
  const planOf = (command: string): CallPlan => ({
    summary: command,
    target: { kind: "command", command, cwd: root },
  });
  const refused = { kind: "none", refuse: "gone. wait" } as const;
  const [confined, alike, late, unjudged] = [planOf("a"), planOf("a"), planOf("b"), planOf("a")];
  const kinds = await Promise.all([confined, alike].map((plan) => sandbox.confinement(plan)));
  expect(kinds.map(({ kind }) => kind)).toEqual(["working", "working"]);
  works = false;
  // What the sandbox stands on changes, and it does not come back.
  mkdirSync(join(root, ".git"));
  writeFileSync(join(root, ".git", "HEAD"), "ref: refs/heads/main\n");
  expect(await sandbox.current(alike)).toEqual(refused);
  expect((await sandbox.confinement(late)).kind).toBe("none");
  // At once: the one that a person let run without is between those that nobody did.
  expect(await Promise.all([confined, late, unjudged, late].map((plan) => sandbox.current(plan)))).toEqual([
    refused,
    { kind: "none" },
    refused,
    refused,
  ]);
});
