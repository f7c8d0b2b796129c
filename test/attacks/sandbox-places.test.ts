import { describe, expect } from "bun:test";
import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { examine } from "../../src/app/doctor/doctor.ts";
import { openExplainer } from "../../src/app/explain/explain.ts";
import { hiddenPathWarnings } from "../../src/app/explain/hidden-paths-check.ts";
import { openReview } from "../../src/app/explain/review.ts";
import { settingsOf } from "../../src/config/settings/settings.ts";
import type { SandboxSettings } from "../../src/guard/sandbox/config.ts";
import { sandboxSection } from "../../src/guard/sandbox/config.ts";
import type { SandboxSources } from "../../src/guard/sandbox/policy/sandbox-sources.ts";
import { acknowledgeAll } from "../support/acknowledge.ts";
import { calls, says } from "../support/mock-provider/turn.ts";
import type { TestProject } from "../support/place.ts";
import { openPlace, turn } from "../support/place.ts";
import { requireSandbox } from "../support/sandbox-place.ts";
import type { SandboxRig } from "../support/sandbox-rig.ts";
import { openSandboxRig } from "../support/sandbox-rig.ts";

// A place that is hidden or closed because of its path in the workspace may be a link, of the repository or of an
// earlier command. Wherever it leads, a command is confined or refused: never is it run without a sandbox.

const test = requireSandbox();
const CASES_MS_MAX = 180_000;

/** Ways in which a link leads somewhere; each makes what it needs, and returns the target of the link. */
const TARGETS: Readonly<Record<string, (folder: string) => string>> = {
  "a file": (folder) => made(join(folder, "target.txt"), "file"),
  "a folder": (folder) => made(join(folder, "target"), "folder"),
  "the workspace": () => ".",
  "the folder around it": () => "..",
  "a folder beside it": (folder) => made(join(dirname(folder), "beside"), "folder"),
  "a missing file": () => "missing",
  "a missing folder of the system": () => "/usr/missing/x",
  itself: (folder) => join(folder, "loop-1"),
  "a chain to a device": (folder) => chain(folder, "/dev/null"),
  "a chain to programs": (folder) => chain(folder, "/lib64"),
  "a name that is too long": () => `/${"x".repeat(300)}`,
  "a path through a file": () => "/etc/passwd/x",
  ...Object.fromEntries(
    [
      ...["/", "/bin", "/bin/bash", "/lib", "/lib64", "/usr", "/usr/bin", "/usr/bin/bwrap", "/usr/lib"],
      ...[
        "/dev",
        "/dev/null",
        "/dev/zero",
        "/dev/shm",
        "/dev/fd",
        "/etc",
        "/etc/passwd",
        "/run",
        "/sys",
        "/tmp",
      ],
      ...[
        "/proc",
        "/proc/1",
        "/proc/self",
        "/proc/self/environ",
        "/proc/self/root",
        "/proc/self/ns/net",
        "/var",
      ],
    ].map((path) => [path, () => path]),
  ),
};

function made(path: string, kind: "file" | "folder"): string {
  if (kind === "folder") mkdirSync(path, { recursive: true });
  writeFileSync(kind === "folder" ? join(path, "in.txt") : path, "what is hidden\n");
  return path;
}

function chain(folder: string, end: string): string {
  symlinkSync(end, join(folder, "link-1"));
  symlinkSync("link-1", join(folder, "link-2"));
  return "link-2";
}

type HidingSources = Pick<SandboxSources, "denied" | "projectHidden">;

/** Reasons for which a path of the workspace is hidden or closed. */
const REASONS: Readonly<Record<string, (path: string) => Partial<HidingSources>>> = {
  "a deny rule about reading": (path) => ({ denied: () => ({ hidden: [path], readOnly: [] }) }),
  "a deny rule about what is in it": (path) => ({
    denied: () => ({ hidden: [join(path, "in.txt"), join(path, "null")], readOnly: [] }),
  }),
  "a deny rule about writing": (path) => ({
    denied: () => ({ hidden: [], readOnly: [{ path, kind: "file" }] }),
  }),
  "the folder of keys": (path) => ({
    denied: () => ({ hidden: [path], readOnly: [{ path, kind: "directory" }] }),
  }),
  "hidden of a repository": (path) => ({ projectHidden: () => Promise.resolve([basename(path)]) }),
};

describe("[SBX-01 S22] a link at a place that is hidden or closed", () => {
  for (const [why, places] of Object.entries(REASONS)) {
    test(
      `by ${why} takes the sandbox from no command`,
      async () => {
        for (const [name, target] of Object.entries(TARGETS)) {
          await using rig = openSandboxRig({ around: (root) => places(join(root, "place")) });
          const { root } = rig;
          symlinkSync("loop-2", join(root, "loop-1"));
          symlinkSync("loop-1", join(root, "loop-2"));
          symlinkSync(target(root), join(root, "place"));
          const output = await rig.bash("touch ../escaped; echo ran");
          const isConfined = output.includes("Read-only file system") || output.includes("No such file");
          const isRefused = output.startsWith("error: SandboxUnavailable: ");
          expect([name, existsSync(join(dirname(root), "escaped")), isConfined !== isRefused]).toEqual([
            name,
            false,
            true,
          ]);
          if (isRefused) expect([name, output]).toEqual([name, expect.stringContaining(join(root, "place"))]);
          if (name.startsWith("/") || name.startsWith("a chain"))
            expect([name, isConfined]).toEqual([name, true]);
        }
      },
      CASES_MS_MAX,
    );
  }
});

function withWritable(path: string): SandboxSettings {
  return { ...settingsOf(sandboxSection, {}), writable: [path] };
}

/** Folders of cinch in a home. */
function pathsIn(home: string): SandboxSources["paths"] {
  const [config = "", data = "", state = ""] = [".config", ".local/share", ".local/state"].map((name) =>
    join(home, name, "cinch"),
  );
  return { config, data, state };
}

/** Another session on the workspace of a rig. */
function nextSession(rig: SandboxRig, settings: Partial<SandboxSettings> = {}): SandboxRig {
  return openSandboxRig({ folder: rig.root, settings });
}

test("[SBX-01 S22] a command that takes every right on the workspace leaves no later command unconfined", async () => {
  await using rig = openSandboxRig();
  await rig.bash("chmod 0 .");
  await using next = nextSession(rig);
  const output = await next.bash("touch ../escaped; echo ran");
  chmodSync(rig.root, 0o755);
  expect(existsSync(join(dirname(rig.root), "escaped"))).toBe(false);
  expect(output).toStartWith("error: ");
});

for (const [how, exit, complaint] of [
  [
    "no process left",
    { kind: "code", code: 1 },
    "bwrap: Creating new namespace failed: Resource temporarily unavailable",
  ],
  ["no memory left", { kind: "code", code: 137 }, ""],
  ["no descriptor left", { kind: "failed", error: new Error("EMFILE: too many open files, spawn") }, ""],
  [
    "no descriptor left on the machine",
    { kind: "failed", error: new Error("ENFILE: file table overflow, spawn") },
    "",
  ],
  [
    "no namespace left",
    { kind: "code", code: 1 },
    "bwrap: Creating new namespace failed: nesting depth or /proc/sys/user/max_*_namespaces exceeded (ENOSPC)",
  ],
  ["no space left", { kind: "code", code: 1 }, "bwrap: cannot write the uid map: No space left on device"],
  ["a signal that ended it", { kind: "code", code: 143 }, ""],
] as const)
  test(`[SBX-01 S22] a trial that finds ${how} lets no command run unconfined`, async () => {
    await using rig = openSandboxRig();
    const { spawn } = rig.world;
    let isShort = true;
    Object.assign(rig.context.world, {
      spawn: (options: Parameters<typeof spawn>[0]) =>
        isShort
          ? Object.assign(spawn({ ...options, argv: ["/bin/sh", "-c", `echo '${complaint}' >&2`] }), {
              exited: Promise.resolve(exit),
            })
          : spawn(options),
    });
    expect(await rig.bash("touch ../escaped; echo ran")).toStartWith("error: SandboxUnavailable: ");
    expect(existsSync(join(dirname(rig.root), "escaped"))).toBe(false);
    isShort = false;
    expect(await rig.bash("touch ../escaped; echo ran")).toContain("Read-only file system");
  });

describe("[SBX-01 S22] a folder of the setting `writable` that a command made a link of opens nothing", () => {
  test("in the workspace", async () => {
    await using rig = openSandboxRig();
    await rig.bash("ln -s .. out");
    await using next = nextSession(rig, { writable: [join(rig.root, "out")] });
    expect(await next.bash("touch ../escaped; echo ran")).toContain("Read-only file system");
    expect(existsSync(join(dirname(rig.root), "escaped"))).toBe(false);
    expect(next.told).toEqual([expect.stringContaining(`${join(rig.root, "out")} is a link`)]);
  });

  test("in another such folder, or behind a link of the user's", async () => {
    await using rig = openSandboxRig();
    const around = dirname(rig.root);
    const cache = join(around, "cache");
    mkdirSync(join(cache, "sub"), { recursive: true });
    symlinkSync(join(cache, "sub"), join(around, "own"));
    await using first = nextSession(rig, { writable: [cache] });
    await first.bash("cd ../cache && rmdir sub && ln -s .. sub");
    await using next = nextSession(rig, { writable: [cache, join(cache, "sub"), join(around, "own")] });
    expect(await next.bash("touch ../escaped; touch ../cache/kept; echo ran")).toContain("Read-only");
    expect(existsSync(join(around, "escaped"))).toBe(false);
    expect(existsSync(join(cache, "kept"))).toBe(true);
  });

  test("while the session runs", async () => {
    await using rig = openSandboxRig({ around: (root) => ({ settings: withWritable(join(root, "out")) }) });
    mkdirSync(join(rig.root, "out"));
    await rig.bash("true");
    rmSync(join(rig.root, "out"), { recursive: true });
    symlinkSync("..", join(rig.root, "out"));
    expect(await rig.bash("touch ../escaped; echo ran")).toContain("Read-only file system");
  });

  test("in the workspace, for a sub-agent in a worktree; nor does a link there take its sandbox away", async () => {
    await using rig = openSandboxRig();
    const worktree = join(dirname(rig.root), "worktree");
    mkdirSync(worktree);
    await rig.bash("ln -s .. out; ln -s /lib64 secrets");
    await using agent = openSandboxRig({
      folder: worktree,
      settings: { writable: [join(rig.root, "out")] },
      around: () => ({
        workspace: rig.root,
        denied: () => ({ hidden: [join(rig.root, "secrets")], readOnly: [] }),
      }),
    });
    expect(await agent.bash("touch ../escaped; echo ran")).toContain("Read-only file system");
    expect(existsSync(join(dirname(rig.root), "escaped"))).toBe(false);
  });

  test("in another repository", async () => {
    await using rig = openSandboxRig();
    const around = dirname(rig.root);
    mkdirSync(join(around, "cloned", ".git"), { recursive: true });
    symlinkSync("../..", join(around, "cloned", "out"));
    symlinkSync("/lib64", join(around, "cloned", "secrets"));
    await using next = openSandboxRig({
      folder: rig.root,
      settings: { writable: [join(around, "cloned", "out")], hidden: [join(around, "cloned", "secrets")] },
    });
    expect(await next.bash("touch ../escaped; echo ran")).toContain("Read-only file system");
    expect(existsSync(join(around, "escaped"))).toBe(false);
  });

  test("in an earlier workspace, which is no repository", async () => {
    await using rig = openSandboxRig();
    const earlier = join(rig.home, "earlier");
    mkdirSync(earlier);
    await using first = openSandboxRig({ folder: earlier, around: () => ({ home: rig.home }) });
    await first.bash("ln -s ../.. out");
    await using next = openSandboxRig({
      folder: rig.root,
      settings: { writable: [join(earlier, "out")] },
      around: () => ({ home: rig.home }),
    });
    expect(await next.bash("touch ../escaped; echo ran")).toContain("Read-only file system");
    expect(existsSync(join(dirname(rig.root), "escaped"))).toBe(false);
    expect(next.told).toEqual([expect.stringContaining(`${join(earlier, "out")} is a link`)]);
  });

  test("in the home, if that was an earlier workspace", async () => {
    await using rig = openSandboxRig();
    const next = () =>
      openSandboxRig({
        folder: rig.root,
        settings: { writable: ["~/near"] },
        around: () => ({ home: rig.home, paths: pathsIn(rig.home) }),
      });
    await using home = openSandboxRig({
      folder: rig.home,
      around: () => ({ home: rig.home, paths: pathsIn(rig.home) }),
    });
    await home.bash("ln -s .. near");
    await using later = next();
    expect(await later.bash("touch ../escaped; echo ran")).toContain("Read-only file system");
    expect(existsSync(join(dirname(rig.root), "escaped"))).toBe(false);
  });

  test("but a link of the user's own leads there", async () => {
    await using rig = openSandboxRig({ settings: { writable: ["~/near"] } });
    const far = join(dirname(rig.root), "far");
    mkdirSync(far);
    symlinkSync(far, join(rig.home, "near"));
    expect(await rig.bash("touch ../far/made && echo made")).toContain("made");
    expect(existsSync(join(far, "made"))).toBe(true);
  });
});

test("[SBX-01 SBX-02] a setting that the sandbox leaves out is a notice, and no missing sandbox", async () => {
  await using place = openPlace(calls("Bash", { command: "echo ran" }), says("done"));
  mkdirSync(join(place.root, "far"));
  symlinkSync(join(place.root, "far"), join(place.repo, "near"));
  const provider = `[providers.mock]\nkind = "anthropic"\nbase_url = "${place.mock.url}/v1"\n`;
  place.config(`${provider}[sandbox]\nwritable = ["${join(place.repo, "near")}"]\n`);
  await using harness = await place.open({ wishes: ALONE });
  const events = await turn(harness, "go");
  const reported = events.flatMap((event) => (event.kind === "Error" ? [event.payload] : []));
  expect(reported).toMatchObject([{ reason: "SandboxSettingUnmet", severity: "notice" }]);
  expect(reported[0]?.message).toBe(
    `Commands cannot write ${join(place.repo, "near")}, though [sandbox] lists it under writable: ${join(place.repo, "near")} is a link that a command or a download can have made. Remedy: list the folder that it leads to.`,
  );
});

test("[SBX-01 S29] a link in place of the repository around the workspace opens no other repository", async () => {
  await using rig = openSandboxRig();
  const other = join(dirname(rig.root), "other", ".git");
  mkdirSync(other, { recursive: true });
  writeFileSync(join(other, "HEAD"), "ref: refs/heads/main\n");
  symlinkSync(other, join(dirname(rig.root), ".git"));
  expect(await rig.bash("touch ../.git/planted ../other/.git/planted; echo ran")).toContain("ran");
  expect(existsSync(join(other, "planted"))).toBe(false);
});

describe("[SBX-01 S18] a folder of credentials that is the workspace stays visible and writable", () => {
  const look = "cat in.txt; echo made > made.txt";

  test("if a link of the user's leads to it", async () => {
    await using rig = openSandboxRig();
    made(rig.root, "folder");
    symlinkSync(rig.root, join(rig.home, ".claude"));
    expect(await rig.bash(look)).toContain("what is hidden");
    expect(existsSync(join(rig.root, "made.txt"))).toBe(true);
  });

  test("if it lies there itself, with other such folders hidden", async () => {
    await using rig = openSandboxRig();
    const folder = made(join(rig.home, ".claude"), "folder");
    made(join(rig.home, ".ssh"), "folder");
    await using inside = openSandboxRig({ folder, around: () => ({ home: rig.home }) });
    const output = await inside.bash(`${look}; cat ../.ssh/in.txt`);
    expect(output).toContain("what is hidden");
    expect(output).toContain("../.ssh/in.txt: No such file");
    expect(existsSync(join(folder, "made.txt"))).toBe(true);
  });
});

describe("[SBX-01 S18] what the user hides is hidden", () => {
  test("behind a link of their own, also among the system's programs", async () => {
    await using rig = openSandboxRig();
    symlinkSync("/usr/bin/env", join(rig.home, ".netrc"));
    symlinkSync("/usr/bin/id", join(rig.root, "of-the-workspace"));
    await using next = nextSession(rig, { hidden: [join(rig.root, "of-the-workspace")] });
    const look = "[ -s /usr/bin/env ] && echo sees env; [ -s /usr/bin/id ] && echo sees id; true";
    expect(await rig.bash(look)).toStartWith("sees id\n");
    expect(await next.bash(look)).toContain("sees id");
  });

  test("in /proc, as far as it is about the machine; without /proc no command runs", async () => {
    await using rig = openSandboxRig();
    await using some = nextSession(rig, { hidden: ["/proc/version", "/proc/self/status", "/dev/kvm"] });
    expect(await some.bash("cat /proc/version; cat /proc/self/status | head -1")).toStartWith("Name:");
    await using all = nextSession(rig, { hidden: ["/proc"] });
    expect(await all.bash("echo ran")).toStartWith("error: SandboxUnavailable: the sandbox works");
  });

  test("after a link in any folder leads elsewhere", async () => {
    const wanted = (root: string) => ["secrets/k", "dangling/k", "leaf"].map((name) => join(root, name));
    await using rig = openSandboxRig({
      around: (root) => ({ denied: () => ({ hidden: wanted(root), readOnly: [] }) }),
    });
    const { root } = rig;
    for (const name of ["v1", "v2"]) made(join(root, "data", name, "k"), "folder");
    for (const name of ["v1", "v2"]) rmSync(join(root, "data", name, "k"), { recursive: true });
    for (const name of ["v1", "v2"]) writeFileSync(join(root, "data", name, "k"), `key of ${name}\n`);
    const relink = (target: string, name: string) => {
      rmSync(join(root, name), { force: true });
      symlinkSync(target, join(root, name));
    };
    relink("v1", "data/current");
    relink("data/current", "secrets");
    relink("data/later", "dangling");
    relink("data/leaf", "leaf");
    const look = "cat secrets/k dangling/k leaf data/v?/k 2>/dev/null; true";
    expect(await rig.bash(look)).toContain("key of v2");
    expect(await rig.bash(look)).not.toContain("key of v1");
    relink("v2", "data/current");
    expect(await rig.bash(look)).not.toContain("key of v2");
    relink("v1", "data/current");
    relink("v2", "data/later");
    expect(await rig.bash(look)).not.toContain("key of");
    relink("v1", "data/later");
    relink("v2/k", "data/leaf");
    expect(await rig.bash(look)).not.toContain("key of");
  });
});

const ESCAPE = calls("Bash", { command: "touch ../escaped; echo ran" });
const ALONE = { autoApprove: true, attended: false } as const;
const DENY = '[permissions]\ndeny = ["Read:secrets/**", "Read:.env"]\n';

async function outputs(place: TestProject, count = 1): Promise<string> {
  const texts: string[] = [];
  for (let session = 0; session < count; session += 1) {
    await using harness = await place.open({ wishes: ALONE });
    for (const event of await turn(harness, "go")) {
      if (event.kind === "Error") texts.push(`${event.payload.reason}: ${event.payload.message}`);
      if (event.kind === "ToolResult") texts.push(JSON.stringify(event.payload.content));
    }
  }
  return texts.join("\n");
}

function withDeny(place: TestProject): void {
  place.config(`[providers.mock]\nkind = "anthropic"\nbase_url = "${place.mock.url}/v1"\n${DENY}`);
}

test("[SBX-01 PERM-09] permissions explain tries the places of the session, and says that they are refused", async () => {
  await using place = openPlace();
  withDeny(place);
  mkdirSync(join(place.repo, "secrets"));
  const explain = async () => {
    await using explainer = await openExplainer(place.options(), new AbortController().signal);
    return await explainer.trySandbox();
  };
  expect(await explain()).toEqual({ kind: "works" });
  symlinkSync(".harness-secrets", join(place.repo, ".harness-secrets"));
  expect(await explain()).toEqual({
    kind: "refused",
    why: expect.stringContaining(
      join(place.repo, ".harness-secrets cannot be read: its symbolic links lead"),
    ),
    refusal: expect.objectContaining({ kind: "refused" }),
  });
});

test("[SBX-01 PROF-01] profile check and doctor name a hidden path with which no command runs", async () => {
  await using place = openPlace();
  const { signal } = new AbortController();
  const provider = `[providers.mock]\nkind = "anthropic"\nbase_url = "${place.mock.url}/v1"\n`;
  const look = async (hidden: readonly string[]) => {
    place.config(`${provider}[sandbox]\nhidden = ${JSON.stringify(hidden)}\n`);
    const options = place.options();
    const warnings = await hiddenPathWarnings(options, ["default"], signal);
    const damage = await Array.fromAsync(examine(options, "quick", signal));
    return { warnings, damage: damage.filter(({ area }) => area === "sandbox") };
  };
  expect(await look(["~/notes", "/etc/hostname"])).toEqual({ warnings: [], damage: [] });
  const { warnings, damage } = await look(["~/notes", "/lib64"]);
  const path = join(place.options().paths.config, "config.toml");
  expect(warnings).toMatchObject([{ weight: "warning", path, line: 5, key: "sandbox.hidden" }]);
  expect(warnings[0]?.problem).toStartWith('"/lib64" lets no command run, since the sandbox works on this');
  expect(damage).toMatchObject([
    { weight: "damage", remedy: expect.stringContaining('Take "/lib64" out of') },
  ]);
  expect(damage[0]?.text).toStartWith(`${path}:5: `);
});

test("[SBX-01 S41] a .cinch that cannot be resolved is named with a remedy, and the session continues, confined", async () => {
  await using place = openPlace(ESCAPE, says("done"));
  symlinkSync(".cinch", join(place.repo, ".cinch"));
  const output = await outputs(place);
  expect(output).toContain("Read-only file system");
  expect(output).not.toContain("InternalError");
  const { notices } = await openReview(place.options());
  expect(notices).toContain(
    ".cinch/config.toml cannot be read: its symbolic links lead in a circle; remove the link (ELOOP).",
  );
  expect(existsSync(join(place.root, "escaped"))).toBe(false);
});

describe("[SBX-01 S22] with --auto-approve, a session", () => {
  for (const [link, target] of [
    [".harness-secrets", "/dev/null"],
    [".harness-secrets", "/lib64"],
    [".harness-secrets", "/proc/self"],
    ["secrets", "/dev/null"],
    [".env", "/lib64"],
  ] as const) {
    test(`in a repository with ${link} -> ${target} confines its commands`, async () => {
      await using place = openPlace(ESCAPE, says("done"));
      withDeny(place);
      symlinkSync(target, join(place.repo, link));
      const output = await outputs(place);
      expect(output).toContain("Read-only file system");
      expect(existsSync(join(place.root, "escaped"))).toBe(false);
    });
  }

  test("after one in which a command made such a link confines its commands", async () => {
    await using place = openPlace(
      calls("Bash", { command: "ln -s /dev/null secrets; ln -s /lib64 .env; ls -l" }),
      says("done"),
      ESCAPE,
      says("done"),
    );
    withDeny(place);
    expect(await outputs(place, 2)).toContain("Read-only file system");
    expect(existsSync(join(place.root, "escaped"))).toBe(false);
  });

  test("confines its commands when an acknowledged place became a link", async () => {
    await using place = openPlace(ESCAPE, says("done"));
    place.write(".cinch/config.toml", '[sandbox]\nhidden = ["fixtures/private"]\n');
    place.write("fixtures/private/key", "x");
    await acknowledgeAll({ ...place.options({ wishes: ALONE }), profile: "default" });
    rmSync(join(place.repo, "fixtures/private"), { recursive: true });
    symlinkSync("/lib64", join(place.repo, "fixtures/private"));
    expect(await outputs(place)).toContain("Read-only file system");
    expect(existsSync(join(place.root, "escaped"))).toBe(false);
  });

  test("refuses commands, and names the place, when the user hides what every program needs", async () => {
    await using place = openPlace(ESCAPE, says("done"));
    place.config(
      `[providers.mock]\nkind = "anthropic"\nbase_url = "${place.mock.url}/v1"\n[permissions]\ndeny = ["Read:/usr/**"]\n`,
    );
    const output = await outputs(place);
    expect(output).toContain("/usr");
    expect(output).toContain("No command runs");
    expect(existsSync(join(place.root, "escaped"))).toBe(false);
  });
});
