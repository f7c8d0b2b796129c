import { afterEach, describe, expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { settle } from "../../../test/support/fake-clock.ts";
import { ownMs } from "../../../test/support/own-time.ts";
import {
  noneWith,
  openFiles,
  processesWith,
  signalIfRunning,
  someWith,
  zombiesOf,
} from "../../../test/support/processes.ts";
import { hasGrownLessThan } from "../../../test/support/resident.ts";
import type { ToolRig } from "../../../test/support/tool-rig.ts";
import { openToolRig } from "../../../test/support/tool-rig.ts";
import { until } from "../../../test/support/until.ts";
import { assert } from "../../base/assert.ts";
import { Cancelled } from "../../base/errors.ts";
import type { Spawn } from "../../base/world.ts";
import { KILL_WAIT_MS_MAX, TERM_GRACE_MS } from "../../platform/processes/process-group.ts";
import type { TaskChange } from "../../session/background.ts";
import { timeLimit } from "../chain/time-limit.ts";
import type { ToolMiddleware } from "../middleware.ts";
import type { Tool } from "../tool.ts";
import { ToolFailure } from "../tool.ts";
import { BackgroundRuns } from "./background-runs.ts";
import { BASH_MS_MAX, bashTools, INTENT_MS_MAX } from "./bash.ts";
import { OUTPUT_HEAD_BYTES_MAX, OUTPUT_TAIL_BYTES_MAX } from "./capture.ts";
import { PROGRESS_CHARACTERS_MAX } from "./progress-feed.ts";
import { startShell } from "./shell.ts";

const PATH = "/usr/local/bin:/usr/bin:/bin";
const ALL_DEAD_MS_MAX = 2_000;

interface BashRig extends ToolRig {
  readonly bash: Tool;
  readonly task: Tool;
  readonly runs: BackgroundRuns;
  readonly changes: TaskChange[];
  readonly progress: string[];
  sh(command: string, more?: object): Promise<string>;
}

function openRig(env: Readonly<Record<string, string>> = { PATH }): BashRig {
  const progress: string[] = [];
  const changes: TaskChange[] = [];
  const rig = openToolRig({}, { env, progress });
  const runs = new BackgroundRuns((change) => changes.push(change));
  const [bash, task] = bashTools(runs);
  assert(bash !== undefined && task !== undefined, "there are two tools");
  return {
    ...rig,
    bash,
    task,
    runs,
    changes,
    progress,
    sh: (command, more = {}) => rig.text(bash, { command, ...more }),
    async [Symbol.asyncDispose]() {
      await runs[Symbol.asyncDispose]();
      await rig[Symbol.asyncDispose]();
    },
  };
}

let sleeps: string[] = [];
/** A duration for `sleep` that no other process of this machine has. */
function longSleep(): string {
  const own = `300.${Math.floor(Math.random() * 1e12)}`;
  sleeps.push(own);
  return own;
}
afterEach(() => {
  for (const pid of sleeps.flatMap(processesWith)) signalIfRunning(pid, "SIGKILL");
  sleeps = [];
});

describe("a command", () => {
  test("[TOOL-02] may open its outputs by their names, in the foreground and in the background", async () => {
    await using rig = openRig();
    const command =
      "echo a >/dev/stderr; echo b | tee /dev/stderr; echo c >/dev/stdout; echo d 2>&1 >>/dev/fd/2; (echo e >/dev/stderr) 2>&1";
    const output = "a\nb\nb\nc\nd\ne";
    expect(await rig.sh(command)).toBe(output);
    const [id = ""] = /task_\w+/.exec(await rig.sh(command, { background: true })) ?? [];
    await until("its end", () => rig.changes.some(({ state }) => state === "done"));
    expect(await rig.text(rig.task, { id, action: "poll" })).toEndWith(`\n${output}`);
  });

  test("[REL-03] leaves no open file, a hundred times", async () => {
    await using rig = openRig();
    const ways = [
      "echo a; echo b >/dev/stderr",
      "head -c 300000 /dev/zero",
      "kill -9 $$",
      `sleep ${longSleep()} & echo a`,
    ];
    await rig.sh("true");
    Bun.gc(true); // what was garbage before does not count
    const before = openFiles();
    const some = Array.from({ length: 4 }, async () => {
      for (let i = 0; i < 25; i++) {
        const plan = await rig.bash.plan({ command: ways[i % ways.length] }, rig.context);
        await rig.bash.run(plan, { ...rig.context, callId: rig.world.ids.next("call") });
      }
    });
    await Promise.all(some);
    await until("all are closed", () => openFiles() <= before);
  }, 300_000);

  test("[TOOL-02] shows what it writes to both its outputs, in order", async () => {
    await using rig = openRig();
    expect(await rig.sh("for i in 1 2 3; do echo out $i; echo err $i >&2; done")).toBe(
      "out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3",
    );
    expect(await rig.sh("true")).toBe("(no output)");
  });

  test("[TOOL-02] that fails reports how", async () => {
    await using rig = openRig();
    expect(await rig.sh("echo no; exit 3")).toBe("error: no\n[exit code 3]");
    expect(await rig.sh("kill -9 $$")).toBe("error: [ended by SIGKILL]");
    expect(await rig.sh("echo (")).toMatch(/^error: bash: eval: line 1: syntax error.*\[exit code 2\]$/s);
    expect(await rig.sh("no-such-program-here")).toBe(
      "error: bash: line 1: no-such-program-here: command not found\n[exit code 127]",
    );
  });

  test("[TOOL-02] reads the end of file at once and has no terminal", async () => {
    await using rig = openRig();
    expect(await rig.sh("cat; read line; echo $?; [ -t 0 ] || echo no tty")).toBe("1\nno tty");
  });

  test("[PERM-04 S34] that only reads runs without the user's variables for git, which takes no lock for it", async () => {
    await using rig = openRig({ PATH, GIT_DIR: "/elsewhere", GIT_TRACE: "/x", MINE: "1" });
    const line = "echo $MINE [$GIT_DIR$GIT_TRACE] $GIT_OPTIONAL_LOCKS";
    expect(await rig.sh(line)).toBe("1 [/elsewhere/x]");
    const reading = await rig.text(rig.bash, { command: line }, [
      (call, context, next) => next(call, { ...context, onlyReads: true }),
    ]);
    expect(reading).toBe("1 [] 0");
  });

  test("[S10] has the given environment in each call, and nothing that steers shells or runtimes", async () => {
    const hostile = {
      BASH_ENV: "/tmp/evil",
      ENV: "/tmp/evil",
      SHELLOPTS: "xtrace",
      "BASH_FUNC_ls%%": "() { echo evil; }",
      PS4: "$(echo evil)",
      CDPATH: "/etc",
      BUN_OPTIONS: "--preload /tmp/evil.ts",
      BUN_BE_BUN: "1",
      NODE_OPTIONS: "--require /tmp/evil.js",
      RIPGREP_CONFIG_PATH: "/tmp/evil",
      CINCH_TOKEN: "secret",
    };
    await using rig = openRig({ PATH, HOME: "/home/user", ...hostile });
    expect((await rig.sh("export LATER=1; env | sort | cut -d= -f1 | tr '\\n' ' '")).trim()).toBe(
      "CINCH_CALL HOME LATER PATH PWD SHLVL _",
    );
    expect(await rig.sh("echo ${LATER-unset} $# ${0}")).toBe("unset 0 bash");
  });

  test("[S13] runs in bash without the user's files, whatever their SHELL", async () => {
    await using rig = openRig({ PATH, SHELL: "/bin/sh", HOME: "/nowhere" });
    expect(await rig.sh("shopt -q login_shell || [[ a =~ a ]] && echo ${BASH##*/}")).toBe("bash");
  });

  test("[TOOL-02] shows no escape sequences, and keeps them in nothing else that people see", async () => {
    await using rig = openRig();
    expect(await rig.sh("printf '\\033[31mred\\033[0m \\033]0;title\\007x\\r\\n10%%\\r20%%\\n'")).toBe(
      "red x\n10%\n20%",
    );
    expect(rig.progress.join("")).not.toContain("\u001b");
  });

  test("[TOOL-02] is shown while it runs, gathered and bounded", async () => {
    await using rig = openRig();
    const call = rig.sh(
      "echo one; read -t 0.1 <> <(:); for i in $(seq 3000); do echo line $i $i $i; done; echo end",
    );
    await until("something is shown", () => rig.progress.length > 0);
    expect(rig.progress[0]).toStartWith("one");
    await call;
    expect(rig.progress.at(-1)).toEndWith("end\n");
    expect(rig.progress.length).toBeLessThan(10); // the fake clock stands still: the first part, and the last
    rig.progress.length = 0;
    const flood = rig.sh("yes | head -c 100000000");
    for (let done = false; !done; ) {
      await rig.world.clock.advance(100);
      done = await Promise.race([flood.then(() => true), settle().then(() => false)]);
    }
    expect(rig.progress.join("").length).toBeLessThanOrEqual(PROGRESS_CHARACTERS_MAX);
  });

  test("[PERM-09 TOOL-09] is passed to the gate, with the directory in which it will run", async () => {
    await using rig = openRig();
    const plan = await rig.bash.plan({ command: "ls -l\npwd" }, rig.context);
    expect(plan).toMatchObject({
      summary: "ls -l\npwd",
      target: { kind: "command", command: "ls -l\npwd", cwd: rig.root },
    });
    expect([rig.bash.level, rig.bash.mutating]).toEqual(["DangerFullAccess", true]);
  });

  test("[PERM-10] runs where it was planned, also when another call moved on meanwhile", async () => {
    await using rig = openRig();
    const plan = await rig.bash.plan({ command: "pwd" }, rig.context);
    mkdirSync(join(rig.root, "a"));
    await rig.sh("cd a");
    const output = await rig.bash.run(plan, rig.context);
    expect(output).toEqual({ content: [{ type: "text", text: rig.root }] });
  });

  test("[PERM-10] is not run where its place was swapped after the plan", async () => {
    await using rig = openRig();
    await rig.sh("mkdir a; cd a");
    const plan = await rig.bash.plan({ command: "touch canary" }, rig.context);
    await rig.world.files.remove(join(rig.root, "a"));
    symlinkSync(rig.outside, join(rig.root, "a"));
    await expect(rig.bash.run(plan, rig.context)).rejects.toThrow("is no longer the directory");
    expect(readdirSync(rig.outside)).toEqual([]);
  });

  test("[TOOL-02] that cannot be meant is refused before it runs", async () => {
    await using rig = openRig();
    expect(await rig.sh("  ")).toBe("error: The command is empty.");
    expect(await rig.sh("a\0b")).toBe("error: A command cannot hold a NUL character.");
    expect(await rig.sh(`: ${"x".repeat(100_000)}`)).toStartWith(
      "error: The command is longer than 100000 bytes.",
    );
    expect(await rig.sh("echo «redacted:api-key» > .env")).toStartWith(
      "error: The command holds «redacted:api-key»,",
    );
    expect(await rig.sh("true", { timeout_ms: 600_001 })).toStartWith("error: ");
    expect(await rig.sh("true", { timeout_ms: 0 })).toStartWith("error: ");
    expect(readdirSync(rig.root)).toEqual([]);
  });
});

describe("the working directory", () => {
  const endings = {
    "the end": (cd: string) => cd,
    exit: (cd: string) => `${cd}; exit 0`,
    "a failure": (cd: string) => `${cd}; false`,
    "set -e": (cd: string) => `set -euo pipefail; ${cd}; false; echo no`,
    "set -x": (cd: string) => `set -x; ${cd}`,
    "a trap of its own": (cd: string) => `trap 'echo bye' EXIT; ${cd}`,
    "a syntax error later": (cd: string) => `${cd}\necho (`,
    noclobber: (cd: string) => `set -C; ${cd}`,
    "a subshell elsewhere": (cd: string) => `${cd}; (cd /; exit 1)`,
    "closed outputs": (cd: string) => `${cd}; exec >&- 2>&-`,
    "a function called pwd": (cd: string) => `pwd() { echo /; }; ${cd}; PWD=/`,
    SIGTERM: (cd: string) => `${cd}; kill -TERM $$`,
  };
  for (const [name, command] of Object.entries(endings)) {
    test(`[TOOL-02] is kept over calls after ${name}`, async () => {
      await using rig = openRig();
      mkdirSync(join(rig.root, "it's a\ndirectory"));
      const output = await rig.sh(command("cd it\\'s*"));
      expect(output).not.toContain("working directory");
      expect(output).not.toContain("pwd");
      expect(rig.workspace.cwd).toBe(join(rig.root, "it's a\ndirectory"));
      expect(await rig.sh("cd ..; pwd")).toBe(rig.root);
    });
  }

  test("[TOOL-02] cannot be forged by what a command writes, and stays when the shell is replaced", async () => {
    await using rig = openRig();
    mkdirSync(join(rig.root, "a"));
    expect(await rig.sh("cd a; exec echo /")).toBe(
      `/\n[The shell did not tell its last directory; the next command runs in ${rig.root}]`,
    );
    expect(rig.workspace.cwd).toBe(rig.root);
    expect(readdirSync(rig.workspace.scratch)).toEqual([]);
  });

  test("[TOOL-02] is reset when it leaves the workspace, also over a symlink, and the model is notified", async () => {
    await using rig = openRig();
    symlinkSync(rig.outside, join(rig.root, "link"));
    const told = `[${rig.outside} is outside the workspace; the next command runs in ${rig.root}]`;
    expect(await rig.sh(`cd ${rig.outside}; pwd`)).toBe(`${rig.outside}\n${told}`);
    expect(await rig.sh("cd link")).toBe(told);
    expect(await rig.sh("pwd")).toBe(rig.root);
  });

  test("[TOOL-02] is the root again when a file has taken its place", async () => {
    await using rig = openRig();
    const place = join(rig.root, "a");
    await rig.sh("mkdir a; cd a");
    await rig.world.files.remove(place);
    writeFileSync(place, "a file");
    expect(await rig.sh("pwd")).toBe(
      `${rig.root}\n[The directory ${place} is gone; this ran in ${rig.root}]`,
    );
  });

  test("[TOOL-02] is the root again when it is gone", async () => {
    await using rig = openRig();
    expect(await rig.sh("mkdir a; cd a; rmdir ../a")).toBe(
      `[The working directory is gone; the next command runs in ${rig.root}]`,
    );
    await rig.sh("mkdir b; cd b");
    await rig.world.files.remove(join(rig.root, "b"));
    expect(await rig.sh("pwd")).toBe(
      `${rig.root}\n[The directory ${join(rig.root, "b")} is gone; this ran in ${rig.root}]`,
    );
  });
});

describe("a long output", () => {
  test("[TOOL-02] shows its beginning and end, and where the whole is", async () => {
    await using rig = openRig();
    const text = await rig.sh("seq 1 200000");
    expect(text.length).toBeLessThan(OUTPUT_HEAD_BYTES_MAX + OUTPUT_TAIL_BYTES_MAX + 500);
    const [, missing, total, path] =
      /^1\n2\n.*\n\[… ([\d,]+) of ([\d,]+) bytes are left out here. The whole is in (\S+): .*…\]\n.*\n200000$/s.exec(
        text,
      ) ?? [];
    expect([missing?.length, total]).toEqual([9, "1,288,895"]);
    const whole = await readFile(path ?? "", "utf8");
    expect(whole).toBe(`${Array.from({ length: 200_000 }, (_, i) => i + 1).join("\n")}\n`);
    expect(statSync(path ?? "").mode & 0o777).toBe(0o600);
  });

  test("[TOOL-02] just below the limit is shown whole and leaves no file", async () => {
    await using rig = openRig();
    const bytes = OUTPUT_HEAD_BYTES_MAX + OUTPUT_TAIL_BYTES_MAX;
    expect(await rig.sh(`head -c ${bytes} /dev/zero | tr '\\0' x`)).toBe("x".repeat(bytes));
    expect(readdirSync(rig.workspace.scratch)).toEqual([]);
  });

  test("[TOOL-02] is cut between characters", async () => {
    await using rig = openRig();
    const text = await rig.sh("for i in $(seq 20000); do printf 'é€😀'; done");
    expect(text).not.toContain("\uFFFD");
  });

  test("[TOOL-02 R21] of 1 GB keeps memory flat, the first 64 MiB, and the count of the rest", async () => {
    await using rig = openRig();
    const before = process.memoryUsage.rss();
    let isFlat = true;
    const call = rig.sh("head -c 1000000000 /dev/zero | tr '\\0' '\\n'");
    for (let done = false; !done; ) {
      isFlat &&= hasGrownLessThan(400_000_000, before);
      done = await Promise.race([call.then(() => true), settle().then(() => false)]);
    }
    expect(isFlat).toBe(true);
    const text = await call;
    expect(text).toContain("The first 67,108,864 of 1,000,000,000 bytes are in ");
    const [file] = readdirSync(rig.workspace.scratch);
    expect(statSync(join(rig.workspace.scratch, file ?? "")).size).toBe(67_108_864);
  }, 300_000);

  test("[TOOL-02] that cannot be kept says so and loses only that", async () => {
    await using rig = openRig();
    const failing = { ...rig.world.files, append: () => Promise.reject(new Error("no space left")) };
    const context = { ...rig.context, world: { ...rig.world, files: failing } };
    const plan = await rig.bash.plan({ command: "seq 1 100000" }, context);
    const output = await rig.bash.run(plan, context);
    expect(JSON.stringify(output)).toContain("The whole could not be kept: no space left.");
  });
});

describe("the end of a call", () => {
  const escapes = {
    "a plain child": (s: string) => `sleep ${s}`,
    "&": (s: string) => `sleep ${s} & wait`,
    nohup: (s: string) => `nohup sleep ${s} >/dev/null 2>&1 & wait`,
    setsid: (s: string) => `setsid sleep ${s} & wait`,
    "a double fork": (s: string) => `(setsid -f sleep ${s} >/dev/null 2>&1 </dev/null); sleep ${s}`,
    "a pipe holder": (s: string) => `sleep ${s} | cat & wait`,
    "one that ignores SIGTERM": (s: string) => `trap '' TERM; sleep ${s} & wait; sleep ${s}`,
  };
  for (const [name, script] of Object.entries(escapes)) {
    test(`[ENG-09 R19] by a cancel leaves no process within 2 s: ${name}`, async () => {
      await using rig = openRig();
      const own = longSleep();
      const call = rig.run(rig.bash, { command: script(own) });
      await until("it runs", () => processesWith(`sleep\0${own}`).length > 0);
      const why = new Cancelled("tester", "enough");
      const ms = await ownMs(async () => {
        rig.cancel.abort(why);
        expect(await call.catch((thrown) => thrown)).toBe(why);
        await until("all have ended", () => processesWith(own).length + zombiesOf(process.pid).length === 0);
      });
      expect(ms).toBeLessThan(ALL_DEAD_MS_MAX);
    });
  }

  test("[ENG-09 R19] by a hundred cancels leaves neither processes nor files", async () => {
    await using rig = openRig();
    const own = longSleep();
    for (let i = 0; i < 100; i++) {
      const cancel = new AbortController();
      const context = { ...rig.context, callId: rig.world.ids.next("call"), signal: cancel.signal };
      const plan = await rig.bash.plan({ command: `sleep ${own} & setsid sleep ${own} & wait` }, context);
      const call = rig.bash.run(plan, context);
      if (i % 2 === 0) await settle();
      cancel.abort(new Cancelled("tester", `${i}`));
      await expect(call).rejects.toThrow(`${i}`);
    }
    await until("all have ended", () => processesWith(own).length + zombiesOf(process.pid).length === 0);
    expect(readdirSync(rig.workspace.scratch)).toEqual([]);
  }, 300_000);

  test("[ENG-22 TOOL-02] by its time limit keeps what was written and says so", async () => {
    await using rig = openRig();
    const own = longSleep();
    const call = rig.run(rig.bash, { command: `echo begun; sleep ${own}`, timeout_ms: 5_000 });
    await until("it runs", () => processesWith(`sleep\0${own}`).length > 0 && rig.progress.length > 0);
    await rig.world.clock.advance(4_999);
    await someWith(own);
    await rig.world.clock.advance(1);
    expect(await call).toEqual({
      content: [
        {
          type: "text",
          text: "begun\n[Timed out after 5 s; all its processes were ended. timeout_ms may be up to 600000, or use background: true]",
        },
      ],
      isError: true,
      timedOut: true,
    });
    await noneWith(own);
  });

  test("[ENG-22] comes after 120 s where no limit is named", async () => {
    await using rig = openRig();
    const own = longSleep();
    const call = rig.sh(`sleep ${own}`);
    await until("it runs", () => processesWith(`sleep\0${own}`).length > 0);
    await rig.world.clock.advance(120_000);
    expect(await call).toStartWith("error: [Timed out after 120 s;");
  });

  test("[ENG-09 R19] does not wait for what it left in the background, but ends it and says so", async () => {
    await using rig = openRig();
    const own = longSleep();
    expect(await rig.sh(`sleep ${own} & (setsid -f sleep ${own} >/dev/null 2>&1); echo started`)).toBe(
      "started\n[Processes it left running were ended; start such with background: true]",
    );
    await noneWith(own);
  });

  test("[ENG-09] a call that was cancelled before it began starts nothing", async () => {
    await using rig = openRig();
    const plan = await rig.bash.plan({ command: "touch canary" }, rig.context);
    rig.cancel.abort(new Cancelled("tester", "enough"));
    await expect(rig.bash.run(plan, rig.context)).rejects.toThrow("enough");
    expect(readdirSync(rig.root)).toEqual([]);
  });
});

describe("a background run", () => {
  async function started(rig: BashRig, command: string, more: object = {}): Promise<string> {
    const text = await rig.sh(command, { background: true, ...more });
    const id = /^Started (task_\w{26}) in /.exec(text)?.[1];
    if (id === undefined) throw new Error(text);
    return id;
  }
  const poll = (rig: BashRig, id: string) => rig.text(rig.task, { id, action: "poll" });

  test("[TOOL-02] is polled for what is new, and for how it ended", async () => {
    await using rig = openRig();
    const go = join(rig.root, "go");
    const id = await started(rig, `echo one; until [ -e go ]; do sleep 0.01; done; echo two; exit 4`);
    const polls: string[] = [];
    await until(
      "the first line",
      async () => polls.push(await poll(rig, id)) > 0 && polls.join().includes("one"),
    );
    expect(polls.at(-1)).toBe(`[${id} running, 0 s]\none`);
    expect(await poll(rig, id)).toBe(`[${id} running, 0 s]\n(no new output)`);
    await rig.world.clock.advance(3_000);
    writeFileSync(go, "");
    await until("its end", () => rig.changes.length === 2);
    expect(await poll(rig, id)).toBe(`[${id} failed, 3 s, exit code 4]\ntwo`);
    expect(rig.changes).toMatchObject([
      { taskId: id, state: "running" },
      { taskId: id, state: "failed", detail: "exit code 4" },
    ]);
  });

  test("[TOOL-02 ENG-09] is stopped with all its processes", async () => {
    await using rig = openRig();
    const own = longSleep();
    const id = await started(rig, `echo up; setsid sleep ${own} & wait`);
    await until("it runs", () => processesWith(`sleep\0${own}`).length > 0);
    expect(await rig.text(rig.task, { id, action: "stop" })).toMatch(
      new RegExp(`^\\[${id} stopped, 0 s(, .*)?\\]\nup$`),
    );
    await noneWith(own);
    expect(rig.changes.map((change) => change.state)).toEqual(["running", "stopped"]);
  });

  test("[TOOL-02] continues when the turn that started it is cancelled", async () => {
    await using rig = openRig();
    const own = longSleep();
    const id = await started(rig, `sleep ${own}`);
    rig.cancel.abort(new Cancelled("tester", "enough"));
    await settle();
    expect((await rig.runs.poll(id, rig.world))?.state).toBe("running");
  });

  test("[REL-03 R18] ends with its session, and so does every other", async () => {
    await using rig = openRig();
    const own = longSleep();
    for (let i = 0; i < 5; i++) await started(rig, `trap '' TERM; (setsid -f sleep ${own}); sleep ${own}`);
    await until("they run", () => processesWith(`sleep\0${own}`).length === 10);
    const ms = await ownMs(async () => {
      await rig.runs[Symbol.asyncDispose]();
      await until("all have ended", () => processesWith(own).length === 0);
    });
    expect(ms).toBeLessThan(ALL_DEAD_MS_MAX + 1_000);
    expect(rig.changes.filter((change) => change.state === "stopped")).toHaveLength(5);
    expect(await rig.sh("true", { background: true })).toStartWith("error: The session is ending");
  });

  test("[ENG-22] ends by its own time limit", async () => {
    await using rig = openRig();
    const id = await started(rig, `sleep ${longSleep()}`, { timeout_ms: 2_000 });
    await rig.world.clock.advance(2_000);
    await until("its end", () => rig.changes.length === 2);
    expect(await poll(rig, id)).toMatch(/failed, 2 s, .*timed out after 2 s\]\n\(no new output\)$/);
  });

  test("[TOOL-02] leaves the working directory alone", async () => {
    await using rig = openRig();
    mkdirSync(join(rig.root, "a"));
    await started(rig, "cd a");
    await until("its end", () => rig.changes.length === 2);
    expect(rig.workspace.cwd).toBe(rig.root);
  });

  test("[TOOL-02] is refused beyond the limit, and names those that run", async () => {
    await using rig = openRig();
    const ids: string[] = [];
    for (let i = 0; i < 16; i++) ids.push(await started(rig, `sleep ${longSleep()}`));
    expect(await rig.sh("true", { background: true })).toBe(
      `error: 16 commands run in the background already. Stop one first: ${ids.join(", ")}.`,
    );
  });

  test("[TOOL-02] that is not known is reported with the known ones", async () => {
    await using rig = openRig();
    expect(await poll(rig, "task_x")).toBe("error: There is no background run task_x. None was started.");
    const id = await started(rig, "true");
    expect(await poll(rig, "task_x")).toBe(`error: There is no background run task_x. Known: ${id}.`);
  });

  test("[TOOL-02] that writes much between two polls shows the end and where the rest is", async () => {
    await using rig = openRig();
    const id = await started(rig, "seq 1 100000");
    await until("its end", () => rig.changes.length === 2);
    const text = await poll(rig, id);
    expect(text).toMatch(
      /^\[task_\w+ done, 0 s, exit code 0\]\n\[… [\d,]+ bytes are left out here\. The whole is in .*…\]\n.*\n100000$/s,
    );
    expect(await poll(rig, id)).toEndWith("(no new output)");
  });
});

describe("[SES-03 REL-02] a command whose intent is not safe yet", () => {
  interface HeldOptions {
    readonly command?: string;
    readonly onWrite?: (written: Promise<void>) => Promise<void>;
    readonly input?: object;
    readonly around?: readonly ToolMiddleware[];
  }
  const UNTIL_GO = "echo >begun; until [ -e go ]; do read -t 0.01 </dev/zero; done; echo done";
  /** Runs a command that leaves a file. Its intent is safe when `safe` returns, which gets the id of its process. */
  async function runHeld(
    rig: BashRig,
    safe: (pid: number) => Promise<void>,
    {
      command = 'echo "$(readlink /proc/self/fd/0) $#" >begun; cat',
      onWrite = (written: Promise<void>) => written,
      input = {},
      around = [],
    }: HeldOptions = {},
  ) {
    const started: number[] = [];
    const held: ToolMiddleware = (call, context, next) => {
      const spawn: Spawn = (options) => {
        const child = context.world.spawn(options);
        started.push(child.pid);
        const { input: pipe } = child;
        if (pipe === undefined) return child;
        const write = (bytes: Uint8Array) => onWrite(pipe.write(bytes));
        return Object.assign(child, { input: { write, end: () => pipe.end() } });
      };
      const intentSafe = async () => await safe(started[0] ?? 0);
      return next(call, { ...context, world: { ...context.world, spawn }, intentSafe });
    };
    return await rig.text(rig.bash, { command, timeout_ms: 1_000, ...input }, [...around, held]);
  }
  const hasBegun = (rig: BashRig) => existsSync(join(rig.root, "begun"));
  /** Waits for a shell that waits. One that does not wait has ended, or sleeps, after its command. */
  const isWaiting = (pid: number) =>
    until("the shell waits", () => {
      const stat = existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, "utf8") : ") Z";
      return /\) [SZ]/.test(stat) && !readlinkSync(`/proc/${pid}/exe`).includes("bun");
    });

  test("has its shell already, and begins afterwards with nothing of the wait", async () => {
    await using rig = openRig();
    let before: boolean | undefined;
    const output = await runHeld(rig, async (pid) => {
      await isWaiting(pid);
      before = hasBegun(rig);
    });
    expect({ before, output }).toEqual({ before: false, output: "(no output)" });
    expect(readFileSync(join(rig.root, "begun"), "utf8")).toBe("/dev/null 0\n");
  });

  test("never begins if the intent cannot be made safe", async () => {
    await using rig = openRig();
    const output = runHeld(rig, async (pid) => {
      await isWaiting(pid);
      throw new ToolFailure("the disk is full");
    });
    expect(await output).toBe("error: the disk is full");
    expect(hasBegun(rig)).toBe(false);
  });

  test("has all of its time after the wait", async () => {
    await using rig = openRig();
    const { clock } = rig.world;
    const output = runHeld(rig, async () => await clock.advance(900), { command: UNTIL_GO });
    await until("it begins", () => hasBegun(rig));
    await clock.advance(900);
    writeFileSync(join(rig.root, "go"), "");
    expect(await output).toBe("done");
  });

  for (const where of ["foreground", "background"])
    test(`is said not to have run if the wait reaches its limit, in the ${where}`, async () => {
      await using rig = openRig();
      const never = async () => {
        await rig.world.clock.advance(INTENT_MS_MAX);
        await new Promise(() => undefined);
      };
      const output = runHeld(rig, never, { input: { background: where === "background" } });
      expect(await output).toBe(
        "error: nothing was run: cinch's log did not take the record of this call within 30 s. Check that the disk of cinch's data folder takes writes, then try again.",
      );
      expect(hasBegun(rig)).toBe(false);
    });

  test("[ENG-22] reaches its own limit before that of the call, after the longest wait", async () => {
    await using rig = openRig();
    const { clock } = rig.world;
    const output = runHeld(rig, async () => await clock.advance(INTENT_MS_MAX - 1), {
      command: UNTIL_GO,
      input: { timeout_ms: BASH_MS_MAX },
      around: [timeLimit()],
    });
    await until("it begins", () => hasBegun(rig));
    await clock.advance(BASH_MS_MAX);
    expect(await output).toMatch(/^error: \[Timed out after 600 s;[^\]]*\]$/);
  });

  test("[ENG-22] has a limit of the call later than all limits within it together", () => {
    const endingMs = TERM_GRACE_MS + 2 * KILL_WAIT_MS_MAX;
    const [bash] = bashTools(new BackgroundRuns(() => undefined));
    expect(bash?.msMax).toBeGreaterThan(INTENT_MS_MAX + BASH_MS_MAX + endingMs);
  });

  test("is not said not to have run once its line is written, though the writing takes all of its time", async () => {
    await using rig = openRig();
    const output = runHeld(rig, () => Promise.resolve(), {
      command: UNTIL_GO,
      onWrite: async (written) => {
        await written;
        await until("it begins", () => hasBegun(rig));
        await rig.world.clock.advance(INTENT_MS_MAX);
      },
    });
    expect(await output).toStartWith("error: [Timed out after 1 s;");
  });

  test("gets no line when its intent is safe just after the limit of the wait", async () => {
    await using rig = openRig();
    let writes = 0;
    const output = runHeld(rig, async () => await rig.world.clock.advance(INTENT_MS_MAX), {
      onWrite: (written) => {
        writes += 1;
        return written;
      },
    });
    expect(await output).toStartWith("error: nothing was run: ");
    expect(writes).toBe(0);
  });

  test("never begins if the call is cancelled meanwhile", async () => {
    await using rig = openRig();
    const output = runHeld(rig, async (pid) => {
      await isWaiting(pid);
      rig.cancel.abort(new Cancelled("user", rig.context.originator));
    });
    expect(await output.catch((thrown: unknown) => thrown)).toBeInstanceOf(Cancelled);
    expect(hasBegun(rig)).toBe(false);
  });

  test("never begins if this process ends meanwhile, whose pipe the shell then finds closed", async () => {
    await using rig = openRig();
    const { world, root, context } = rig;
    const start = {
      command: "touch begun",
      cwd: root,
      env: { PATH },
      callId: context.callId,
      held: true,
    } as const;
    await using child = await startShell(world, start);
    child.input?.end();
    expect(await child.exited).toEqual({ kind: "code", code: 1 });
    expect(hasBegun(rig)).toBe(false);
  });
});

test("[TOOL-08 PERF-06] their description for the model is short", async () => {
  await using rig = openRig();
  for (const { name, description, inputSchema } of [rig.bash, rig.task]) {
    expect(JSON.stringify({ name, description, inputSchema }).length).toBeLessThanOrEqual(375);
    expect(description.length).toBeLessThanOrEqual(250);
  }
});
