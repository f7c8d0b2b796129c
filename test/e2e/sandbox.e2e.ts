import { expect } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RunningCinch } from "../support/cinch.ts";
import { cinchHome, startCinch } from "../support/cinch.ts";
import { openMockHome } from "../support/mock-home.ts";
import { startMockProvider } from "../support/mock-provider/mock-provider.ts";
import { calls, says } from "../support/mock-provider/turn.ts";
import { processesWith, signalIfRunning } from "../support/processes.ts";
import { requireSandbox, sandboxParent } from "../support/sandbox-place.ts";
import { until } from "../support/until.ts";

const test = requireSandbox();

/** Runs another session in the same place to its end, adds what it told to `told`, and returns its exit code. */
type Again = (told?: string[]) => Promise<number | null>;

/** One command of a model in a real session, in a workspace that is not below /tmp. */
async function session(
  command: string,
  config = "",
  meanwhile: (cinch: RunningCinch, work: string, again: Again) => Promise<void> = () => Promise.resolve(),
  isRepository = false,
) {
  using home = cinchHome();
  const base = mkdtempSync(join(sandboxParent(), "cinch-session-"));
  const work = join(base, "work");
  mkdirSync(work);
  if (isRepository) Bun.spawnSync(["git", "init", "-q", work]);
  const script = [calls("Bash", { command }), says("Done.")];
  await using mock = startMockProvider({
    script: [...script, calls("Bash", { command: "ls -A" }), says("Done.")],
  });
  const provider = `[providers.mock]\nkind = "openai-compatible"\nbase_url = "${mock.url}/v1"\n`;
  mkdirSync(join(home.path, "config/cinch"), { recursive: true });
  writeFileSync(join(home.path, "config/cinch/config.toml"), `${provider}${config}`);
  try {
    const start = () =>
      startCinch(["-p", "x", "--model", "mock:one", "--without-project"], { cwd: work, home });
    await using cinch = start();
    cinch.closeStdin();
    await meanwhile(cinch, work, async (told = []) => {
      await using another = start();
      another.closeStdin();
      const code = await another.exited;
      told.push(await another.stderr);
      return code;
    });
    const code = await cinch.exited;
    const told = JSON.stringify(mock.requests.at(-1)?.body);
    const left = [".cinch", ".git"].filter((name) => existsSync(join(work, name)));
    return { code, stderr: await cinch.stderr, told, made: existsSync(join(work, "made")), left };
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

test("[SBX-01 SBX-03 PERM-01] with -p a command runs unasked in the sandbox, and only there", async () => {
  expect(await session("touch made")).toMatchObject({ code: 0, stderr: "", made: true, left: [] });
  const asks = '[permissions]\nbash_in_sandbox = "ask"\n';
  expect(await session("touch made", asks)).toMatchObject({ code: 3, made: false });
  expect(await session("touch made", '[sandbox]\nbackend = "none"\n')).toMatchObject({
    code: 3,
    made: false,
  });
  const denies = '[permissions]\ndeny = ["Bash:touch *"]\n';
  expect(await session("touch made", denies)).toMatchObject({ code: 3, made: false });
});

test("[SBX-04 SBX-01] a repository is made of a folder that was none, and nothing of it runs outside", async () => {
  const { code, told, made, left } = await session(
    "git init -q && git -c user.name=t -c user.email=t@e commit -q --allow-empty -m first && git log --format=%s && git config core.fsmonitor 'touch made; false'",
    "",
    async (cinch, work) => {
      await cinch.exited;
      Bun.spawnSync(["git", "status"], { cwd: work });
    },
  );
  expect({ code, made, left }).toEqual({ code: 0, made: false, left: [".git"] });
  expect(told).toContain("first");
  expect(told).toContain(". is a new repository. Removed");
});

/** Writes what libgit2 does for `cargo init .`, in its order: a config that is replaced, and no template. */
const CARGO_INIT = [
  "mkdir -p .git/hooks .git/info .git/objects/info .git/objects/pack .git/refs/heads .git/refs/tags",
  "printf 'ref: refs/heads/master\\n' >.git/HEAD",
  ...["repositoryformatversion = 0", "bare = false", "logallrefupdates = true"].map(
    (line) =>
      `{ cat .git/config 2>/dev/null || echo '[core]'; printf '\\t${line}\\n'; } >.git/config.lock && mv .git/config.lock .git/config`,
  ),
  "printf '#!/bin/sh\\n' >.git/hooks/README.sample",
  "echo unnamed >.git/description && echo '*.o' >.git/info/exclude",
  "echo /target >.gitignore && mkdir src && echo 'fn main() {}' >src/main.rs && touch made",
].join(" && ");
/** Command of `uv init`: git itself, on the folder, quietly. */
const UV_INIT = "git init -q \"$PWD\" && printf '.venv\\n' >.gitignore && touch made";

test("[SBX-04 SBX-01] cargo init and uv init work with -p in a folder that was no repository, and git continues with it", async () => {
  for (const init of [CARGO_INIT, UV_INIT]) {
    // A program of its own, whose line names nothing of git.
    const program = Buffer.from(init).toString("base64");
    const run = `echo ${program} | base64 -d >init.sh && sh init.sh && rm init.sh`;
    const status: string[] = [];
    const { code, told, made, left } = await session(
      `${run} && git add -A && git -c user.name=t -c user.email=t@e commit -qm first && git log --format=%s`,
      "",
      async (cinch, work) => {
        await cinch.exited;
        const { stdout, stderr } = Bun.spawnSync(["git", "status", "--short"], { cwd: work });
        status.push(`${stdout}${stderr}`);
      },
    );
    expect({ code, made, left, status }).toEqual({ code: 0, made: true, left: [".git"], status: [""] });
    expect(told).toContain("first");
    expect(told).toContain(". is a new repository]");
    expect(told).not.toContain("Removed");
  }
});

test("[SBX-04] an operation that the sandbox stops is reported to the model, with its options", async () => {
  const { told, code } = await session("touch made; touch ../beside");
  expect(told).toContain("Read-only file system");
  expect(told).toContain("outside_sandbox: true");
  expect(code).toBe(0);
});

test("[SBX-01] a backend that does not work here is reported once, and its commands are refused where nobody can be asked", async () => {
  const { code, stderr, made } = await session("touch made", '[sandbox]\nbackend = "seatbelt"\n');
  expect({ code, made }).toEqual({ code: 3, made: false });
  expect(
    stderr.match(/There is no sandbox for commands: \/usr\/bin\/sandbox-exec is not there/g),
  ).toHaveLength(1);
});

test("[REL-03] when cinch is killed outright, the command and all it started are gone, and a later session removes its empty places", async () => {
  const token = `cinch-left-${process.pid}`;
  const command = `setsid bash -c 'trap "" TERM; exec -a ${token} sleep 300' & trap "" TERM; touch made; wait`;
  const { left } = await session(command, "", async (cinch, work, again) => {
    await until("the command", () => existsSync(join(work, "made")) && processesWith(token).length > 0);
    signalIfRunning(cinch.pid, "SIGKILL");
    await cinch.exited;
    await until("the end of all", () => processesWith(token).length === 0);
    expect(existsSync(join(work, ".cinch"))).toBe(true);
    // The session that was killed has asked once: the next answer is a text, the one after it a command.
    expect([await again(), await again()]).toEqual([0, 0]);
  });
  expect(left).toEqual([]);
});

test("[S26 REL-03] git settings and hooks that a command planted before cinch was killed are removed at the next start, with a notice", async () => {
  const plant = [
    "git init -q sub",
    "git -C sub config core.fsmonitor 'touch ../made; false'",
    "git -C sub config user.name kept",
    "printf '#!/bin/sh\\ntouch ../made\\n' >sub/.git/hooks/pre-commit",
    "chmod +x sub/.git/hooks/pre-commit",
  ].join("; ");
  const program = Buffer.from(`${plant}; touch planted; exec sleep 300`).toString("base64");
  const meanwhile = async (cinch: RunningCinch, work: string, again: Again) => {
    await until("the command", () => existsSync(join(work, "planted")));
    signalIfRunning(cinch.pid, "SIGKILL");
    await cinch.exited;
    // By the person, where no command could: it stays.
    Bun.spawnSync(["git", "config", "core.pager", "less"], { cwd: work });
    expect(readFileSync(join(work, "sub/.git/config"), "utf8")).toContain("fsmonitor");
    const told: string[] = [];
    expect(await again(told)).toBe(0); // it runs no command
    expect(told[0]).toContain("A command ran when cinch was killed. ");
    expect(told[0]).toMatch(
      /work\/sub is a new repository\. Removed, .*: core\.fsmonitor, hooks\/pre-commit/,
    );
    const config = readFileSync(join(work, "sub/.git/config"), "utf8");
    expect([config.includes("fsmonitor"), config.includes("kept")]).toEqual([false, true]);
    expect(existsSync(join(work, "sub/.git/hooks/pre-commit"))).toBe(false);
    expect(readFileSync(join(work, ".git/config"), "utf8")).toContain("less");
    Bun.spawnSync(["git", "status"], { cwd: join(work, "sub") });
    expect(existsSync(join(work, "made"))).toBe(false);
  };
  await session(`echo ${program} | base64 -d >plant.sh && sh plant.sh`, "", meanwhile, true);
});

// Seen red with `absent` left out of the record.
test("[S26 REL-03] what a command planted for git when cinch was killed outright is gone when a later session runs its first", async () => {
  const git = Buffer.from(".git/commondir").toString("base64"); // by its name a person would be asked
  const command = `p="$(echo ${git} | base64 -d)"; echo ../evil >"$p"; touch made; sleep 300`;
  const meanwhile = async (cinch: RunningCinch, work: string, again: Again) => {
    const planted = join(work, ".git", "commondir");
    await until("the command", () => existsSync(join(work, "made")));
    signalIfRunning(cinch.pid, "SIGKILL");
    await cinch.exited;
    expect(existsSync(planted)).toBe(true);
    expect([await again(), await again()]).toEqual([0, 0]);
    expect(existsSync(planted)).toBe(false);
    expect(existsSync(join(work, ".git", "HEAD"))).toBe(true);
  };
  await session(command, "", meanwhile, true);
});

test("[CLI-02 SBX-01 S26] a command in the sandbox writes a folder of --add-dir, but not what git runs there, and without the flag nothing", async () => {
  const base = mkdtempSync(join(sandboxParent(), "cinch-added-"));
  try {
    const [work, beside] = [join(base, "work"), join(base, "beside")];
    mkdirSync(work);
    Bun.spawnSync(["git", "init", "-q", beside]);
    // A file: a command that names a git directory is asked about.
    writeFileSync(
      join(work, "s.sh"),
      `touch ${beside}/made ${beside}/.git/hooks/post-commit 2>/dev/null\nexit 0\n`,
    );
    const runs = [
      calls("Bash", { command: `sh s.sh; cd ${beside}` }),
      calls("Bash", { command: "pwd" }),
      says("Done."),
    ];
    await using place = openMockHome([...runs, ...runs]);
    const prompt = (...words: readonly string[]) =>
      place.run(["-p", "x", "--own-engine", "--without-project", ...words], { cwd: work });
    const made = () => [
      existsSync(join(beside, "made")),
      existsSync(join(beside, ".git/hooks/post-commit")),
      existsSync(join(beside, ".cinch")),
    ];
    expect((await prompt()).code).toBe(0);
    expect(made()).toEqual([false, false, false]);
    expect((await prompt("--add-dir", beside)).code).toBe(0);
    expect(made()).toEqual([true, false, false]);
    // The next command runs where the last one has gone.
    expect(JSON.stringify(place.provider.requests.at(-1)?.body)).toContain(`${beside}\\n`);
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
});
