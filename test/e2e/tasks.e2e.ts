import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseJson } from "../../src/base/json.ts";
import { cinchHome, runCinch, startCinch } from "../support/cinch.ts";
import type { MockProvider } from "../support/mock-provider/mock-provider.ts";
import { startMockProvider } from "../support/mock-provider/mock-provider.ts";
import type { Turn } from "../support/mock-provider/turn.ts";
import { calls, says } from "../support/mock-provider/turn.ts";
import { until } from "../support/until.ts";

// Work for later, and plan mode, through the command itself.

const SLOW_MS = 120_000;

function openRig(script: readonly Turn[]) {
  const mock: MockProvider = startMockProvider({ script, models: ["one"] });
  const home = cinchHome();
  const work = join(home.path, "work");
  mkdirSync(work);
  mkdirSync(join(home.path, "config/cinch"), { recursive: true });
  writeFileSync(
    join(home.path, "config/cinch/config.toml"),
    `[providers.mock]\nkind = "openai-compatible"\nbase_url = "${mock.url}/v1"\n`,
  );
  const folder = join(home.path, "data/cinch/tasks");
  const options = { home, cwd: work };
  return {
    mock,
    home,
    work,
    folder,
    run: (...words: string[]) => runCinch(words, options),
    start: (...words: string[]) => startCinch(words, options),
    /** A task that has been due for a while. */
    write(name: string, prompt: string, more = ""): void {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeFileSync(
        join(folder, `${name}.toml`),
        `prompt = "${prompt}"\nevery = "1d"\ncwd = "${work}"\nmodel = "mock:one"\ncreated_at = "2026-01-01T00:00:00Z"\n${more}`,
      );
    },
    log(name: string): readonly Readonly<Record<string, unknown>>[] {
      const path = join(folder, `${name}.runs.jsonl`);
      const text = existsSync(path) ? readFileSync(path, "utf8") : "";
      const lines = text.split("\n").filter((line) => line !== "");
      return lines.map((line) => parseJson(line)?.value as Readonly<Record<string, unknown>>);
    },
    async [Symbol.asyncDispose]() {
      await mock[Symbol.asyncDispose]();
      home[Symbol.dispose]();
    },
  };
}

test(
  "[ENG-24] a task is added, listed, run at once and removed",
  async () => {
    await using rig = openRig([says("all is well")]);
    const elsewhere = await rig.run(
      ...["tasks", "add", "x", "y", "--cron", "0 3 * * *", "--time-zone", "Mars/X"],
    );
    expect([elsewhere.code, elsewhere.stderr]).toEqual([
      2,
      'cinch: --time-zone: there is no time zone "Mars/X"; write one such as Europe/Berlin (UsageInvalid)\n',
    ]);
    const added = await rig.run(
      ...["tasks", "add", "nightly", "look after it", "--cron", "0 3 * * *", "--time-zone", "UTC"],
      ...["--model", "mock:one", "--max-turns", "7", "--level", "ReadOnly"],
    );
    expect([added.code, added.stdout]).toEqual([
      0,
      expect.stringMatching(
        /^added: nightly, cron 0 3 \* \* \* \(UTC\), first \d{4}-\d\d-\d\dT03:00:00\.000Z\nIt runs while [^\n]*\n$/,
      ),
    ]);
    expect(statSync(join(rig.folder, "nightly.toml")).mode & 0o777).toBe(0o600);
    const ran = await rig.run("tasks", "run", "nightly");
    expect([ran.code, ran.stdout]).toEqual([0, "all is well\n"]);
    const [run, ...more] = rig.log("nightly");
    expect([run, more]).toMatchObject([{ task: "nightly", outcome: "done" }, []]);
    expect(run?.["session"]).toStartWith("sess_");
    expect((await rig.run("tasks", "list")).stdout).toMatch(/T03:00:00\.000Z, last done /);
    expect((await rig.run("tasks", "remove", "nightly")).code).toBe(0);
    const soon = await rig.run("tasks", "add", "x", "y", "--every", "10s");
    expect([soon.code, soon.stderr]).toEqual([
      2,
      expect.stringContaining("--every is less than a minute, and nothing runs more often"),
    ]);
    const never = await rig.run("tasks", "run", "N1");
    expect([never.code, never.stderr]).toEqual([
      2,
      expect.stringContaining("There is no scheduled task 'N1'."),
    ]);
    const gone = await rig.run("tasks", "log", "nightly");
    expect([gone.code, gone.stderr]).toEqual([
      2,
      expect.stringContaining("There is no scheduled task 'nightly'"),
    ]);
  },
  SLOW_MS,
);

test(
  "[ENG-24 PROF-01 PROV-03] a task under a profile or model that there is not is refused when it is added, with what was meant",
  async () => {
    await using rig = openRig([]);
    const add = (...flags: string[]) => rig.run("tasks", "add", "t", "do it", "--every", "1d", ...flags);
    writeFileSync(join(rig.work, "mine.toml"), 'name = "mine"\n');
    const [profile, within, provider, route, local] = await Promise.all([
      add("--profile", "defualt"),
      add("--profile", "./mine.toml"),
      add("--model", "mok:one"),
      add("--model", "routing:nowhere"),
      rig.run(
        "tasks",
        "add",
        "local",
        "do it",
        "--every",
        "1d",
        "--model",
        "ollama:qwen",
        "--profile",
        "self",
      ),
    ]);
    expect([profile.code, profile.stderr]).toEqual([
      2,
      expect.stringContaining("There is no profile 'defualt'. Did you mean 'default'? Known: "),
    ]);
    expect([within.code, within.stderr]).toEqual([
      2,
      expect.stringContaining("mine.toml lies in the folder it works in, where a model may have changed it"),
    ]);
    expect([provider.code, provider.stderr]).toEqual([
      2,
      expect.stringContaining("There is no provider 'mok'. Did you mean 'mock'? Known: "),
    ]);
    expect([route.code, route.stderr]).toEqual([
      2,
      expect.stringContaining("Provider routing does not know the model 'nowhere'"),
    ]);
    expect([local.code, local.stderr]).toEqual([
      0,
      "cinch: ollama:qwen is taken as it is written: what ollama offers is not known here. cinch models asks it.\n",
    ]);
    expect((await rig.run("tasks", "list")).stdout).toMatch(/^local {2}every 1d, [^\n]*\n[^\n]*\n$/);
  },
  SLOW_MS,
);

test(
  "[ENG-24] two run-due at once run each due task once; a call that would ask is refused, and a wrong file is reported with its line",
  async () => {
    await using rig = openRig([calls("Write", { file_path: "made.txt", content: "x" }), says("I could not")]);
    rig.write("due", "write a file", 'level = "ReadOnly"\n');
    writeFileSync(join(rig.folder, "wrong.toml"), 'prompt = "x"\nevry = "1d"\n');
    const both = await Promise.all([rig.run("tasks", "run-due"), rig.run("tasks", "run-due")]);
    // The one that ran it says with its code, as -p does, that something was left undone.
    expect(both.map(({ code }) => code).sort()).toEqual([0, 3]);
    expect(both.map(({ stderr }) => stderr.includes("cinch: due: ")).sort()).toEqual([false, true]);
    expect(rig.log("due")).toMatchObject([
      { outcome: "done", missed: "100+", detail: "calls that nobody had allowed did not run: 1" },
    ]);
    for (const { stderr } of both) expect(stderr).toContain("wrong.toml:1: cwd: must be an absolute path");
    const doctor = await rig.run("doctor");
    expect([doctor.code, doctor.stdout]).toEqual([
      1,
      expect.stringContaining("wrong.toml:1: cwd: must be an"),
    ]);
  },
  SLOW_MS,
);

test(
  "[ENG-24 R38] cinch serve runs due tasks, and passes no allowance of its own on; a run of a killed process is reported, and not repeated",
  async () => {
    const hold = Promise.withResolvers<void>();
    await using rig = openRig([
      calls("Write", { file_path: "made.txt", content: "x" }),
      says("from serve"),
      { ...says("never"), hold: hold.promise },
    ]);
    rig.write("due", "go");
    {
      await using _serving = rig.start(
        "serve",
        "--model",
        "mock:one",
        "--auto-approve",
        "--level",
        "ReadOnly",
      );
      await until("it has run", () => rig.log("due").length === 1);
      // Nobody is there: neither a person nor what somebody told this engine to allow.
      expect(rig.log("due")).toMatchObject([
        { outcome: "done", detail: expect.stringContaining("did not run: 1") },
      ]);
    }
    rig.write("killed", "go");
    const running = rig.start("tasks", "run-due");
    const state = () => readFileSync(join(rig.folder, "killed.state.json"), "utf8");
    await until("the model is asked", () => rig.mock.requests.length === 3 && state().includes("sess_"));
    running.kill("SIGKILL");
    await running.exited;
    hold.resolve();
    await running[Symbol.asyncDispose]();
    expect((await rig.run("tasks", "run-due")).code).toBe(0);
    expect(rig.mock.requests).toHaveLength(3);
  },
  SLOW_MS,
);

test(
  "[ENG-21 PERM-12] cinch -p --plan changes nothing, and the plan is the answer",
  async () => {
    await using rig = openRig([
      calls("Write", { file_path: "made.txt", content: "x" }),
      says("1. write made.txt"),
    ]);
    const { code, stdout } = await rig.run(
      "-p",
      "plan it",
      "--plan",
      "--auto-approve",
      "--model",
      "mock:one",
    );
    expect([code, stdout]).toEqual([0, "1. write made.txt\n"]);
    expect(rig.mock.requests).toHaveLength(2);
    expect(JSON.stringify(rig.mock.requests[1]?.body)).toContain("PlanMode: Write may change something");
  },
  SLOW_MS,
);

test(
  "[ENG-24 CLI-01 TOFU-04] a task whose project nobody has acknowledged ends with 5",
  async () => {
    await using rig = openRig([says("never")]);
    writeFileSync(join(rig.work, "AGENTS.md"), "Be kind.\n");
    rig.write("due", "go");
    const { code, stderr } = await rig.run("tasks", "run", "due");
    expect([code, rig.mock.requests.length]).toEqual([5, 0]);
    expect(stderr).toContain("AGENTS.md");
    expect(rig.log("due")).toMatchObject([{ outcome: "failed", reason: "NonInteractiveAckRefused" }]);
  },
  SLOW_MS,
);

test(
  "[ENG-21] a session that begins in plan mode says so once before its first turn",
  async () => {
    await using rig = openRig([says("1. look")]);
    const words = ["--plan", "-p", "--output-format", "stream-json", "--model", "mock:one", "hi"];
    const { stdout } = await rig.run(...words);
    const kinds = stdout.split("\n").flatMap((line) => {
      const event = parseJson(line)?.value as Readonly<Record<string, { kind?: string }>> | undefined;
      return event?.["payload"]?.kind === "PlanMode" ? ["PlanMode"] : [];
    });
    expect(kinds).toEqual(["PlanMode"]);
  },
  SLOW_MS,
);

test(
  "[ENG-24 ENG-29] --max-time ends each run of a task, and --max-time of tasks run ends that one",
  async () => {
    const endless: Turn = { parts: [{ text: "and on " }], fault: { kind: "endless" } };
    await using rig = openRig([endless, endless]);
    const words = ["tasks", "add", "slow", "go on", "--every", "1d", "--model", "mock:one"];
    expect((await rig.run(...words, "--max-time", "2s")).code).toBe(0);
    const own = await rig.run("tasks", "run", "slow");
    expect([own.code, own.stderr]).toEqual([4, expect.stringContaining("time limit (2s)")]);
    rig.write("free", "go on");
    const given = await rig.run("tasks", "run", "free", "--max-time", "1s");
    expect([given.code, given.stderr]).toEqual([4, expect.stringContaining("time limit (1s)")]);
    expect(rig.log("free")).toMatchObject([{ outcome: "limit" }]);
    const listed = await rig.run("tasks", "list", "--max-time", "1s");
    expect([listed.code, listed.stderr]).toEqual([2, expect.stringContaining("--max-time goes with")]);
  },
  SLOW_MS,
);
