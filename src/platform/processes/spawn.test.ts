import { afterEach, describe, expect, test } from "bun:test";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { ownMs } from "../../../test/support/own-time.ts";
import {
  isRunning,
  noneWith,
  openFiles,
  processesWith,
  signalIfRunning,
  someWith,
  zombiesOf,
} from "../../../test/support/processes.ts";
import { hasGrownLessThan } from "../../../test/support/resident.ts";
import { until } from "../../../test/support/until.ts";
import { temporaryDirectory } from "../../../test/support/world.ts";
import { SILENT_LOG } from "../../base/log.ts";
import { decode, encode } from "../../base/text/text.ts";
import type { Child, SpawnOptions } from "../../base/world.ts";
import { endGroup, livingMembers } from "./process-group.ts";
import { hostSpawn } from "./spawn.ts";

const spawn = hostSpawn(SILENT_LOG);

const PATH = "/usr/local/bin:/usr/bin:/bin";
const ALL_DEAD_MS_MAX = 2_000;

function shell(script: string, options: Partial<SpawnOptions> = {}): Child {
  return spawn({ argv: ["bash", "-c", script], cwd: "/", env: { PATH }, ...options });
}

async function text(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return decode(Buffer.concat(all));
}

/** A duration for `sleep` that no other process of this machine has. */
function mark(): string {
  return `300.${Math.floor(Math.random() * 1e12)}`;
}

let marks: string[] = [];
function longSleep(): string {
  const own = mark();
  marks.push(own);
  return own;
}
afterEach(() => {
  for (const pid of marks.flatMap(processesWith)) signalIfRunning(pid, "SIGKILL");
  marks = [];
});

describe("a child", () => {
  test("[S10] has exactly the environment that was given, and nothing of ours", async () => {
    await using child = spawn({ argv: ["env"], cwd: "/", env: { PATH, A: "1 2\n3" } });
    expect(await text(child.stdout)).toBe(`PATH=${PATH}\nA=1 2\n3\n`);
  });

  test("[TOOL-02] that reads its input gets what was given, else the end of file at once", async () => {
    await using fed = shell("cat; wc -c", { stdin: "héllo" });
    await using unfed = shell("cat; echo $?");
    expect(await text(fed.stdout)).toBe("héllo0\n");
    expect(await text(unfed.stdout)).toBe("0\n");
  });

  test("[TOOL-02] reports its exit code, its signal, or why it never started", async () => {
    await using one = shell("exit 3");
    await using two = shell("kill -9 $$");
    await using three = spawn({ argv: ["no-such-program"], cwd: "/", env: { PATH } });
    await using four = shell("true", { cwd: "/no/such/place" });
    await using five = spawn({ argv: ["/etc/passwd"], cwd: "/", env: { PATH } });
    expect(await one.exited).toEqual({ kind: "code", code: 3 });
    expect(await two.exited).toEqual({ kind: "signal", signal: "SIGKILL" });
    const failures = await Promise.all([three.exited, four.exited, five.exited]);
    expect(failures.map((exit) => (exit.kind === "failed" ? exit.error.message : exit))).toEqual([
      'cannot start no-such-program: Executable not found in $PATH: "no-such-program"',
      "cannot start bash: there is no directory /no/such/place",
      expect.stringMatching(/^cannot start \/etc\/passwd: .*permission denied/),
    ]);
    expect(await text(three.stdout)).toBe("");
  });

  test("[TOOL-02] that ends before it has read its input disturbs nobody", async () => {
    await using child = shell("true", { stdin: new Uint8Array(10_000_000) });
    expect(await child.exited).toEqual({ kind: "code", code: 0 });
  });
});

test("[SBX-04] a child that announces itself begins when it is let, also by nobody's word where it never started", async () => {
  const before = openFiles();
  for (const _ of [1, 2, 3]) {
    await using child = shell("echo hello >&3; read -r _ <&4; echo and more >&3; echo begun", {
      announces: true,
    });
    const said = await child.announcement?.read((soFar) => decode(soFar).endsWith("\n"));
    expect(decode(said ?? new Uint8Array())).toBe("hello\n");
    child.announcement?.goOn();
    child.announcement?.goOn();
    expect(await text(child.stdout)).toBe("begun\n");
    await using missing = spawn({ argv: ["no-such-program"], cwd: "/", env: {}, announces: true });
    expect(missing.announcement).toBeUndefined();
  }
  await until("all files are closed", () => openFiles() - before < 3);
});

test("[SBX-04] the announcement of a child that has ended is over, also where a process of its keeps it open", async () => {
  const own = longSleep();
  await using child = shell(`sleep ${own} & exit 3`, { announces: true });
  const said = child.announcement?.read(() => false);
  expect(await child.exited).toEqual({ kind: "code", code: 3 });
  expect(await said).toEqual(new Uint8Array());
  await until("what the child has left runs", () => processesWith(`sleep\0${own}`).length === 1);
});

describe("leaving the scope of a child", () => {
  const escapes = {
    "a plain child": (s: string) => `sleep ${s}`,
    "one in the background": (s: string) => `sleep ${s} & wait`,
    nohup: (s: string) => `nohup sleep ${s} >/dev/null 2>&1 & wait`,
    "a double fork": (s: string) => `(sleep ${s} & ) ; sleep ${s}`,
    "a job with a group of its own": (s: string) => `set -m; sleep ${s} & wait`,
    "a group that ignores SIGTERM": (s: string) => `trap '' TERM; sleep ${s} & wait`,
    "a stopped process": (s: string) =>
      `sleep ${s} & until [ "$(cat /proc/$!/comm)" = sleep ]; do :; done; kill -STOP $!; wait`,
    setsid: (s: string) => `setsid sleep ${s} & wait`,
    "setsid in a double fork": (s: string) => `(setsid -f sleep ${s}); sleep ${s}`,
    "setsid with another environment": (s: string) => `env -i /usr/bin/setsid sleep ${s}; wait`,
    "setsid with another environment, which ignores SIGTERM": (s: string) =>
      `env -i /usr/bin/setsid bash -c "trap '' TERM; sleep ${s}; :"; wait`,
    "one whose leader is gone": (s: string) => `sleep ${s} & sleep ${s} & exit 0`,
  };
  for (const [name, script] of Object.entries(escapes)) {
    test(`[ENG-09 REL-03 R19] ends within 2 s: ${name}`, async () => {
      const own = longSleep();
      const child = shell(`${script(own)}`, { env: { PATH, CALL: own }, mark: "CALL" });
      await until("it runs", () => processesWith(`sleep\0${own}`).length > 0);
      const ms = await ownMs(async () => {
        await child[Symbol.asyncDispose]();
        await until("all have ended", () => processesWith(own).length + zombiesOf(process.pid).length === 0);
      });
      expect(ms).toBeLessThan(ALL_DEAD_MS_MAX);
    });
  }

  test("[ENG-09 R19] ends a job that has a group of its own and has lost its parent, by its session", async () => {
    const own = longSleep();
    const child = shell(`set -m; (sleep ${own} & ) ; sleep ${own}`);
    await until("both run", () => processesWith(`sleep\0${own}`).length === 2);
    await child[Symbol.asyncDispose]();
    await until("both have ended", () => processesWith(own).length === 0);
  });

  test("[REL-03] waits for no zombie", async () => {
    const own = longSleep();
    // It ends once nobody is there any more who would collect it.
    await using child = shell(`(until grep -q sleep /proc/$$/comm; do :; done) & exec sleep ${own}`);
    await until("it runs", () => processesWith(`sleep\0${own}`).length > 0);
    await until("its own child is a zombie", () => zombiesOf(child.pid).length > 0);
    expect(livingMembers({ leader: child.pid, startedAtMs: 0 })).toEqual([child.pid]);
  });

  test("[ENG-09] is no end of another's group that was given the leader's number", async () => {
    await using another = shell("exec sleep 60");
    const group = { leader: another.pid, startedAtMs: 0, hasExited: () => true };
    expect(livingMembers(group)).toEqual([]);
    await endGroup(group);
    expect(livingMembers({ leader: another.pid, startedAtMs: 0 })).toEqual([another.pid]);
  });

  test("[ENG-09] may happen twice, and after the end", async () => {
    const child = shell("true");
    await child.exited;
    await Promise.all([child[Symbol.asyncDispose](), child[Symbol.asyncDispose]()]);
    await child[Symbol.asyncDispose]();
  });

  test("[REL-03] leaves neither zombies nor open files, however often", async () => {
    const before = openFiles();
    for (let i = 0; i < 100; i++) {
      await using child = shell("echo out; echo err >&2");
      if (i % 3 === 0) await text(child.stdout);
      if (i % 2 === 0) await child.exited;
    }
    await until("no zombie is left", () => zombiesOf(process.pid).length === 0);
    await until("all files are closed", () => openFiles() - before < 10);
  });
});

describe("reading a child", () => {
  test("[TOOL-02 R19] ends soon after its exit, though a grandchild holds the pipe", async () => {
    const own = longSleep();
    await using child = shell(`sleep ${own} & echo started`);
    let output = "";
    const ms = await ownMs(async () => {
      output = await text(child.stdout);
    });
    expect(output).toBe("started\n");
    expect(ms).toBeLessThan(1_000);
    expect(child.leftBehind()).toBe(true);
    await child[Symbol.asyncDispose]();
    expect(child.leftBehind()).toBe(false);
  });

  test("[TOOL-02 R19] ends though a grandchild continues writing", async () => {
    const own = longSleep();
    await using fast = shell(`yes ${own} & exit 0`);
    await using slow = shell(`(while sleep 0.02; do echo tick; done; sleep ${own}) & exit 0`);
    expect(await ownMs(() => Promise.all([text(fast.stdout), text(slow.stdout)]))).toBeLessThan(3_000);
  });

  test("[TOOL-02] gets all that was written before the exit, also when it reads slowly", async () => {
    const all = "echo begun; sleep 0.05; head -c 60000 /dev/zero"; // the second part has room in a pipe
    await using child = shell(`${all}; sleep ${longSleep()} & exit 0`);
    let bytes = 0;
    for await (const chunk of child.stdout) {
      bytes += chunk.length;
      await child.exited;
      await shell("sleep 0.15").exited; // longer than the silence that ends the reading
    }
    expect(bytes).toBe(60_006);
  });

  test("[TOOL-02 R21] keeps memory flat over 1 GB, and holds up a child that nobody reads", async () => {
    const before = process.memoryUsage.rss();
    await using unread = shell("exec head -c 1000000000 /dev/zero");
    await using child = shell("head -c 1000000000 /dev/zero");
    let bytes = 0;
    let isFlat = true;
    for await (const chunk of child.stdout) {
      const earlier = bytes;
      bytes += chunk.length;
      if (Math.floor(bytes / 1e8) === Math.floor(earlier / 1e8)) continue;
      isFlat &&= hasGrownLessThan(250_000_000, before); // of 1 GB
    }
    expect(bytes).toBe(1_000_000_000);
    expect(isFlat).toBe(true);
    expect(isRunning(unread.pid)).toBe(true); // still at its first full pipe
  }, 300_000);

  test("[REL-03] closes no file of anybody else, however the reading ends", async () => {
    await using home = temporaryDirectory();
    let over = false;
    const checks: boolean[] = [];
    const owner = async (name: string) => {
      for (let i = 0; !over; i++) {
        const file = await open(join(home.path, name), "w+");
        await file.write(`${name} ${i}`, 0);
        checks.push((await file.read(Buffer.alloc(100), 0, 100, 0)).bytesRead === `${name} ${i}`.length);
        await file.close(); // rejects where somebody else has closed it
      }
    };
    const ends: readonly ((child: Child) => Promise<unknown>)[] = [
      (child) => text(child.stdout),
      async (child) => {
        for await (const _ of child.stdout) break;
      },
      (child) => child.exited,
      (child) => Promise.all([text(child.stdout), child[Symbol.asyncDispose]()]),
      () => Promise.resolve(),
    ];
    const starter = async () => {
      for (let i = 0; i < 60; i++) {
        await using child = i % 7 === 0 ? shell("true", { cwd: "/no/such" }) : shell("echo a; echo b >&2");
        await ends[i % ends.length]?.(child);
      }
    };
    const owners = Promise.all(["a", "b", "c", "d"].map(owner));
    await Promise.all([starter(), starter(), starter(), starter()]);
    over = true;
    await owners;
    expect(checks.every(Boolean)).toBe(true);
    expect(checks.length).toBeGreaterThan(10);
  }, 300_000);

  test("[TOOL-02] may be left early, which ends the writer", async () => {
    await using child = shell("exec yes");
    for await (const _ of child.stdout) break;
    expect(await child.exited).toMatchObject({ kind: expect.stringMatching(/code|signal/) });
  });

  test("[PERM-10] happens in the given directory", async () => {
    await using home = temporaryDirectory();
    await using child = shell("pwd -P", { cwd: home.path });
    expect(await text(child.stdout)).toBe(`${join(home.path)}\n`);
  });
});

test("[TOOL-02] where the C library cannot be called, output comes by sockets and the log says once what does not work", () => {
  const program = `
    process.getBuiltinModule = () => undefined;
    const { hostSpawn } = await import(${JSON.stringify(join(import.meta.dir, "spawn.ts"))});
    const log = { for: () => log, wants: () => true, write: (level, text) => console.log(level, text) };
    const spawn = hostSpawn(log);
    for (const script of ["echo a", "echo b; sleep 60 & exit 0"]) {
      await using child = spawn({ argv: ["bash", "-c", script], cwd: "/", env: { PATH: "${PATH}" } });
      for await (const chunk of child.stdout) console.log(Buffer.from(chunk).toString().trim());
    }`;
  const flags = ["--no-install", "--no-env-file", "--config=/dev/null"];
  const { stdout, stderr } = Bun.spawnSync([process.execPath, ...flags, "-e", program]);
  expect(stderr.toString()).toBe("");
  const said = stdout.toString().trim().split("\n");
  const told = process.platform === "linux" ? [expect.stringMatching(/^warn .*\/dev\/stderr/)] : [];
  expect(said).toEqual([...told, "a", "b"]);
});

test("[MCP-01] a child with piped input answers, sees the end, and writing to one that has ended reports it", async () => {
  const options = { cwd: "/", env: {}, talks: true } as const;
  {
    await using child = spawn({ ...options, argv: ["/bin/cat"] });
    await child.input?.write(encode("one\n"));
    const [first] = await firstOf(child.stdout);
    expect(decode(first ?? new Uint8Array())).toBe("one\n");
    child.input?.end();
    expect(await child.exited).toEqual({ kind: "code", code: 0 });
  }
  await using deaf = spawn({ ...options, argv: ["/bin/sleep", "600"] });
  const writing = deaf.input?.write(new Uint8Array(4_000_000)); // more than a pipe takes
  deaf.kill("SIGKILL");
  await expect(writing).rejects.toThrow("EPIPE");
  await using missing = spawn({ ...options, argv: ["/nowhere/program"] });
  expect([missing.input, await missing.exited]).toMatchObject([undefined, { kind: "failed" }]);
});

async function firstOf(bytes: AsyncIterable<Uint8Array>): Promise<readonly Uint8Array[]> {
  for await (const piece of bytes) return [piece];
  return [];
}

test("[REL-03 R18 MCP-05] whatever a child ignores, and wherever its own have gone, it ends with this process, however that ends", async () => {
  const own = longSleep();
  const child = join(import.meta.dirname, "../../../test/support/guarded-child.ts");
  const argv: [string, ...string[]] = [process.execPath, "--no-install", "--config=/dev/null", child, own];
  const engine = spawn({ argv, cwd: "/", env: { PATH } });
  expect(decode((await firstOf(engine.stdout))[0] ?? new Uint8Array())).toBe("ready\n");
  await someWith(own, 3); // The engine, the shell and its guard.
  signalIfRunning(engine.pid, "SIGKILL");
  await noneWith(own);
}, 60_000);

test("[MCP-05] a child is ended with its scope, before any watchdog has to", async () => {
  const own = longSleep();
  {
    await using child = shell(`sleep ${own} & echo ready; wait`);
    expect(decode((await firstOf(child.stdout))[0] ?? new Uint8Array())).toBe("ready\n");
    await someWith(own, 2);
  }
  expect(processesWith(own)).toEqual([]);
  await using ended = shell("exit 3");
  expect(await ended.exited).toEqual({ kind: "code", code: 3 });
});

test("[REL-03] a child ends with this process also where that is killed the moment after it was started", async () => {
  const own = longSleep();
  const program = `
    import { hostSpawn } from "${import.meta.dirname}/spawn.ts";
    import { SILENT_LOG } from "${import.meta.dirname}/../../base/log.ts";
    hostSpawn(SILENT_LOG)({ argv: ["sleep", "${own}"], cwd: "/", env: { PATH: "${PATH}" } });
    process.kill(process.pid, "SIGKILL");`;
  const flags = ["--no-install", "--no-env-file", "--config=/dev/null"];
  const { signalCode } = Bun.spawnSync([process.execPath, ...flags, "-e", program]);
  expect(signalCode).toBe("SIGKILL");
  await noneWith(own);
}, 120_000);
