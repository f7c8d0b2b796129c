import { afterAll, beforeAll, expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CinchHome } from "../support/cinch.ts";
import { cinchHome, cinchPath, runCinch } from "../support/cinch.ts";
import { CANARY, hostileFiles, writeHostile } from "../support/hostile-repository.ts";
import type { MockProvider } from "../support/mock-provider/mock-provider.ts";
import { startMockProvider } from "../support/mock-provider/mock-provider.ts";
import { says } from "../support/mock-provider/turn.ts";
import { requireProgram } from "../support/requires.ts";
import { openTerminal } from "../support/terminal.ts";

// One repository that holds every hostile file of the table, and the program itself started in it, as the kernel
// sees it.

const TIMEOUT_MS = 300_000;
let scratch = "";
let repository = "";
let home: CinchHome;
let mock: MockProvider;
let stranger: { readonly port: number; readonly calls: readonly string[]; stop(): void };

beforeAll(() => {
  scratch = realpathSync(mkdtempSync(join(tmpdir(), "cinch-trust-")));
  repository = join(scratch, "project");
  home = cinchHome();
  mock = startMockProvider({ script: Array.from({ length: 20 }, () => says("fine")) });
  stranger = listen();
  configure(home);
  mkdirSync(join(scratch, "outside"), { recursive: true });
  writeFileSync(join(scratch, "outside/AGENTS.md"), CANARY);
  writeHostile(repository, hostileFiles({ command: bait, url: `http://127.0.0.1:${stranger.port}` }));
});

afterAll(async () => {
  stranger.stop();
  home[Symbol.dispose]();
  await mock[Symbol.asyncDispose]();
  rmSync(scratch, { recursive: true, force: true });
});

function bait(name: string): string {
  return `touch ${join(scratch, "ran", name)}`;
}

function configure(at: CinchHome): void {
  const config = join(at.path, "config/cinch");
  mkdirSync(config, { recursive: true });
  const provider = `[providers.mock]\nkind = "anthropic"\nbase_url = "${mock.url}/v1"\n`;
  writeFileSync(join(config, "config.toml"), `default_model = "mock:test-1"\n${provider}`);
}

/** An address in the repository's files: whoever calls it is written down. */
function listen(): typeof stranger {
  const calls: string[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      calls.push(request.url);
      return new Response("");
    },
  });
  return { port: server.port ?? 0, calls, stop: () => void server.stop(true) };
}

interface Traced {
  readonly code: number;
  readonly stderr: string;
  /** Programs that were started, and addresses that were connected to, as the kernel has them. */
  readonly executed: readonly string[];
  readonly connected: readonly string[];
}

async function traced(args: readonly string[], stdin = ""): Promise<Traced> {
  const log = join(scratch, "strace.log");
  rmSync(log, { force: true });
  const { PATH = "" } = process.env;
  const child = Bun.spawn(
    [
      "strace",
      "-f",
      "-qq",
      "-s",
      "4096",
      "-e",
      "trace=execve,execveat,connect",
      "-o",
      log,
      cinchPath(),
      ...args,
    ],
    {
      cwd: repository,
      env: { PATH: `.:${PATH}`, LANG: "C.UTF-8", TERM: "dumb", ...home.env },
      stdin: new TextEncoder().encode(stdin),
      stdout: "pipe",
      stderr: "pipe",
    },
  );
  const [stderr, code] = await Promise.all([new Response(child.stderr).text(), child.exited]);
  const lines = readFileSync(log, "utf8").split("\n");
  return {
    code,
    stderr,
    executed: lines.filter((line) => /\bexecve(?:at)?\(/.test(line) && !line.includes("= -1 ENOENT")),
    connected: lines.filter((line) => /\bconnect\(/.test(line) && line.includes("sin_port")),
  };
}

const WAYS: readonly (readonly [readonly string[], string, number])[] = [
  [["-p", "hi"], "", 5],
  [["-p", "hi", "--auto-approve"], "", 5],
  [["-p", "hi", "--without-project"], "", 0],
  [[], "hi\n", 5],
  [["models"], "", 0],
  [["ack"], "y\ny\ny\ny\n", 5],
  [["ack", "--all"], "y\n", 5],
  [["ack", "--emit-lockfile"], "", 5],
  [["verify-ack"], "", 5],
];

// Seen red with `git status` called while the project is read, with trust taken out, and with the configuration taken
// from the repository.
requireProgram("strace")(
  "[TOFU-01 TOFU-04 S33 S34 S35 S41 S42] whatever cinch is started as in a hostile repository, nothing of it runs, is called, or reaches the model",
  async () => {
    for (const [args, stdin, code] of WAYS) {
      const before = mock.requests.length;
      const run = await traced(args, stdin);
      expect({ args, code: run.code, stderr: run.stderr }).toMatchObject({ args, code });
      expect(run.executed.length).toBeGreaterThan(0); // the trace does see programs: ours
      expect(run.executed.filter((line) => line.includes(repository) || line.includes(CANARY))).toEqual([]);
      expect(
        run.executed.filter((line) => /execve\("\.?\/?(?:git|sh|bun|rg|env|uname|bwrap)"/.test(line)),
      ).toEqual([]);
      const port = new URL(mock.url).port;
      expect(run.connected.filter((line) => !line.includes(`htons(${port})`))).toEqual([]);
      expect(mock.requests.length - before).toBeLessThanOrEqual(1);
    }
    expect(existsSync(join(scratch, "ran"))).toBe(false);
    expect(stranger.calls).toEqual([]);
    expect(JSON.stringify(mock.requests)).not.toContain(CANARY);
    const own = readdirSync(join(home.path, "config/cinch"));
    expect(own.filter((name) => name.startsWith("approved"))).toEqual([]);
  },
  TIMEOUT_MS,
);

test(
  "[TOFU-04] a newcomer with -p in a repository with instructions gets the remedy, in both formats",
  async () => {
    using own = cinchHome();
    configure(own);
    const cwd = join(own.path, "work");
    mkdirSync(cwd);
    writeFileSync(join(cwd, "AGENTS.md"), "Be kind.\n");
    const text = await runCinch(["-p", "hi"], { home: own, cwd });
    expect({ code: text.code, stdout: text.stdout }).toEqual({ code: 5, stdout: "" });
    expect(text.stderr).toContain("Refusing to silently approve an unseen context file (AGENTS.md)");
    expect(text.stderr).toContain("cinch ack shows each file of the project and each plugin at a terminal");
    expect(text.stderr).toContain("--without-project");
    const json = await runCinch(["-p", "hi", "--output-format", "json"], { home: own, cwd });
    expect(json.code).toBe(5);
    expect(JSON.parse(json.stdout)).toMatchObject({ stop_reason: "error" });
  },
  TIMEOUT_MS,
);

test(
  "[TOFU-02] --all trusts the user's own skills in one decision, and of a project nothing",
  async () => {
    using own = cinchHome();
    configure(own);
    const config = join(own.path, "config/cinch");
    mkdirSync(join(config, "skills/mine"), { recursive: true });
    writeFileSync(join(config, "skills/mine/SKILL.md"), "---\nname: mine\ndescription: d\n---\n");
    const cwd = join(own.path, "work");
    mkdirSync(join(cwd, ".cinch/skills/theirs"), { recursive: true });
    writeFileSync(join(cwd, ".cinch/skills/theirs/SKILL.md"), "---\nname: theirs\ndescription: d\n---\n");
    const all = await runCinch(["ack", "--all"], { home: own, cwd });
    expect(all.code).toBe(5);
    expect(all.stderr).toContain(`trusted as it is now: ${config} (1 file)`);
    expect(all.stderr).toContain("Not acknowledged: .cinch/skills/theirs.");
    const lock = JSON.parse(readFileSync(join(config, "approved.lock"), "utf8"));
    expect(lock).toMatchObject({
      approved: [],
      directories: [{ path: config, files: [{ path: "skills/mine/SKILL.md" }] }],
    });
  },
  TIMEOUT_MS,
);

requireProgram("tmux")(
  "[TOFU-04 TOFU-05 TUI-07] at a terminal cinch ack shows each file and records the answer; a lock file made of it holds in CI until something changes",
  async () => {
    using own = cinchHome();
    configure(own);
    const cwd = join(own.path, "work");
    mkdirSync(join(cwd, ".cinch/skills/s"), { recursive: true });
    mkdirSync(join(cwd, ".git"));
    writeFileSync(join(cwd, "AGENTS.md"), "Be kind.\u001b[2J\u001b]0;owned\u0007\n");
    writeFileSync(join(cwd, ".cinch/skills/s/SKILL.md"), "---\nname: s\ndescription: d\n---\nBody.\n");
    writeFileSync(join(cwd, ".cinch/aliases.toml"), '[aliases]\nquit = "/skills:s"\n');
    await using terminal = await openTerminal({ home: own, cwd, columns: 160 });
    await terminal.type("$CINCH ack; echo code $?");
    await terminal.press("Enter");
    await terminal.shows("[1/3] Use it, until it changes? (y or 1, n or 2; q leaves)");
    expect(await terminal.screen()).toContain("| +Be kind.\\e[2J\\e]0;owned\\u0007\n");
    await terminal.type("y");
    await terminal.press("Enter");
    await terminal.shows("aliases.quit: /quit is a built-in command, and cannot be replaced");
    await terminal.shows("[3/3] Use it, until it changes?");
    expect(await terminal.screen()).toContain("| == SKILL.md\n");
    await terminal.type("1"); // as a question in a conversation takes it
    await terminal.press("Enter");
    await terminal.shows("code 5"); // the aliases cannot be acknowledged
    rmSync(join(cwd, ".cinch/aliases.toml"));
    const lock = join(own.path, "ci/approved.lock"); // in a folder that is not there yet
    const emitted = await runCinch(["ack", "--emit-lockfile", lock], { home: own, cwd });
    expect(emitted).toMatchObject({ code: 0, stdout: "" });
    const nowhere = join(cwd, "AGENTS.md/ci.lock");
    expect(await runCinch(["ack", "--emit-lockfile", nowhere], { home: own, cwd })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`the lock file cannot be written to ${nowhere}: `),
    });
    expect((await runCinch(["ack"], { home: own, cwd })).stdout).toBe(
      `acknowledged in ${cwd}: 2 files, unchanged since\n`,
    );

    using ci = cinchHome();
    configure(ci);
    expect((await runCinch(["-p", "hi"], { home: ci, cwd })).code).toBe(5);
    expect((await runCinch(["verify-ack", "--lockfile", lock], { home: ci, cwd })).code).toBe(0);
    expect(await runCinch(["-p", "hi", "--lockfile", lock], { home: ci, cwd })).toMatchObject({
      code: 0,
      stdout: "fine\n",
    });
    writeFileSync(join(cwd, ".cinch/skills/s/SKILL.md"), "---\nname: s\ndescription: d\n---\nOther.\n");
    rmSync(join(cwd, "AGENTS.md"));
    const drift = await runCinch(["verify-ack", "--lockfile", lock], { home: ci, cwd });
    expect(drift.code).toBe(5);
    expect(drift.stderr).toContain(
      `These files are not what ${lock} approves: .cinch/skills/s (changed), AGENTS.md (gone). Look at each with: cinch ack (at a terminal)`,
    );
    expect(
      (await runCinch(["verify-ack", "--lockfile", join(ci.path, "none")], { home: ci, cwd })).code,
    ).toBe(2);
    writeFileSync(lock, "{");
    expect((await runCinch(["verify-ack", "--lockfile", lock], { home: ci, cwd })).code).toBe(5);
  },
  TIMEOUT_MS,
);

requireProgram("tmux")(
  "[TOFU-01] at a terminal cinch asks about a new file before anything else, and continues with the answer",
  async () => {
    using own = cinchHome();
    configure(own);
    const cwd = join(own.path, "work");
    mkdirSync(cwd);
    writeFileSync(join(cwd, "AGENTS.md"), "Words of the repository.\n");
    await using terminal = await openTerminal({ home: own, cwd });
    await terminal.type("$CINCH --plain; echo code $?");
    await terminal.press("Enter");
    await terminal.shows("| +Words of the repository.");
    await terminal.shows("choice (");
    await terminal.type("1");
    await terminal.press("Enter");
    await terminal.shows("AGENTS.md: acknowledged");
    const before = mock.requests.length;
    await terminal.type("hi");
    await terminal.press("Enter");
    await terminal.shows("-- rounds: 1");
    expect(JSON.stringify(mock.requests.slice(before))).toContain("Words of the repository.");
    await terminal.type("/quit");
    await terminal.press("Enter");
    await terminal.shows("code 0");
    expect((await runCinch(["-p", "hi"], { home: own, cwd })).code).toBe(0);
  },
  TIMEOUT_MS,
);

test(
  "[TOFU-04 CLI-01] with -p, the user's own files that only add are skipped and reported once, and a project's file still ends the run",
  async () => {
    using own = cinchHome();
    configure(own);
    const cwd = join(own.path, "work");
    const config = join(own.path, "config/cinch");
    const secret = "canary-of-my-own";
    const folders = [".agents/skills/x", "config/cinch/agents", "config/cinch/prompts", "work"];
    for (const folder of folders) mkdirSync(join(own.path, folder), { recursive: true });
    const header = `---\nname: x\ndescription: ${secret}\n---\nBody.\n`;
    writeFileSync(join(own.path, ".agents/skills/x/SKILL.md"), header);
    writeFileSync(join(config, "agents/helper.md"), header.replace("name: x", "name: helper"));
    writeFileSync(join(config, "prompts/review.md"), `${secret}\n`);
    writeFileSync(join(config, "aliases.toml"), '[aliases]\nr = "/prompts:review"\n');
    const before = mock.requests.length;
    const ran = await runCinch(["-p", "hi"], { home: own, cwd });
    expect(ran).toMatchObject({ code: 0, stdout: "fine\n" });
    const [told = "", ...again] = ran.stderr.split("\n").filter((line) => line.includes("Left out"));
    expect(again).toEqual([]);
    for (const file of ["skills/x", "helper.md", "review.md", "aliases.toml"]) expect(told).toContain(file);
    expect(told).toContain("cinch ack --all");
    expect(JSON.stringify(mock.requests.slice(before).map(({ body }) => body))).not.toContain(secret);

    mkdirSync(join(cwd, ".git"));
    writeFileSync(join(cwd, "AGENTS.md"), "Be kind.\n");
    const refused = await runCinch(["-p", "hi"], { home: own, cwd });
    expect(refused.code).toBe(5);
    expect(refused.stderr).toContain("AGENTS.md");
    expect(refused.stderr).not.toContain("aliases.toml");
  },
  TIMEOUT_MS,
);
