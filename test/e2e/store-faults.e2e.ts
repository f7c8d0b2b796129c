import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { CinchHome, CinchResult } from "../support/cinch.ts";
import { cinchHome, cinchPath, runCinch } from "../support/cinch.ts";
import { openHomeStore } from "../support/home-store.ts";
import { startMockProvider } from "../support/mock-provider/mock-provider.ts";
import type { Turn } from "../support/mock-provider/turn.ts";
import { says } from "../support/mock-provider/turn.ts";
import { requireProgram } from "../support/requires.ts";

/** Runs of `cinch -p` with a store in a bad state: a reason, an exit code, and the session still there (SES-16). */

const SAID = "remembered";

interface Fault {
  readonly what: string;
  /** Brings it about; what it gives is undone before the session is read again. */
  readonly break: (path: string) => Disposable | undefined;
  readonly reason: string;
  readonly code: number;
  /** The part of the text that says what to do. */
  readonly remedy: RegExp;
}

const FAULTS: readonly Fault[] = [
  {
    what: "written by a newer cinch",
    break: (path) => changed(path, "INSERT INTO schema_migrations VALUES (999, 'now', 'x')"),
    reason: "StoreNewer",
    code: 2,
    remedy: /Upgrade cinch/u,
  },
  {
    what: "locked by another program",
    break: (path) => locked(path, "EXCLUSIVE"),
    reason: "StoreBusy",
    code: 1,
    remedy: /Try again/u,
  },
  {
    what: "overwritten with something else",
    break: (path) => overwritten(path),
    reason: "StoreCorrupt",
    code: 1,
    remedy: /move it away/u,
  },
  {
    what: "cut off",
    break: (path) => cutOff(path),
    reason: "StoreCorrupt",
    code: 1,
    remedy: /move it away/u,
  },
];

for (const { what, break: breakIt, reason, code, remedy } of FAULTS) {
  test(`[SES-16 R14] a store that is ${what} ends the run with a reason, is left as it is, and reads once that is mended`, async () => {
    await using rig = await openRig([says(SAID), says("again")]);
    const { path } = rig;
    const kept = `${path}.kept`;
    copyFileSync(path, kept);
    {
      using holding = breakIt(path);
      // Whoever closes a file lets go of its locks, so one that is locked is looked at from outside alone.
      const bytes = () => (holding === undefined ? readFileSync(path) : undefined);
      const before = bytes();
      const told = await Promise.all([
        rig.run(["-p", "go on", "--continue"]),
        rig.cinch(["sessions", "list"]),
        rig.cinch(["sessions", "show", "last"]),
      ]);
      for (const { stderr, ...rest } of told) {
        expect(rest).toMatchObject({ code, stdout: "" });
        expect(stderr).toContain(`(${reason})`);
        expect(stderr).toContain(path);
        expect(stderr).toMatch(remedy);
      }
      expect(bytes()).toEqual(before);
      if (holding === undefined) {
        const doctor = await runCinch(["doctor"], { home: rig.home });
        expect(doctor.code).toBe(1);
        expect(doctor.stdout).toContain("DAMAGE  sessions: ");
      }
    }
    copyFileSync(kept, path);
    expect(await rig.said()).toContain(SAID);
    expect(await rig.run(["-p", "go on", "--continue"])).toMatchObject({ code: 0 });
  }, 300_000);
}

test("[SES-16 R14] while another program writes the store, sessions are listed and shown, and a run says so", async () => {
  await using rig = await openRig([says(SAID), says("again")]);
  {
    using _holding = locked(rig.path, "IMMEDIATE");
    expect((await rig.cinch(["sessions", "list"])).stdout).toContain("remember");
    expect((await rig.cinch(["sessions", "show", "last"])).stdout).toContain("remember");
    const run = await rig.run(["-p", "go on", "--continue"]);
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toMatch(/Try again.*\(StoreBusy\)/u);
  }
  expect(await rig.run(["-p", "go on", "--continue"])).toMatchObject({ code: 0 });
}, 300_000);

test("[SES-16 R14] where one content of a session is damaged, the place is named and every other session is read", async () => {
  await using rig = await openRig([says(SAID), says("whole")]);
  expect(await rig.run(["-p", "another"])).toMatchObject({ code: 0 });
  const first = "(SELECT min(num) FROM logs)";
  changed(rig.path, `UPDATE logs SET title = zeroblob(40) WHERE num = ${first}`);
  changed(rig.path, `UPDATE events SET content = zeroblob(40) WHERE id = 1 AND log = ${first}`);
  const list = await rig.cinch(["sessions", "list"]);
  expect(list).toMatchObject({ code: 0 });
  expect(list.stdout).toContain("«unreadable»");
  expect((await rig.cinch(["sessions", "show", "last"])).stdout).toContain("another");
  const [damaged] = /sess_\w+(?=.*«unreadable»)/u.exec(list.stdout) ?? [];
  const shown = await rig.cinch(["sessions", "show", String(damaged)]);
  expect(shown.stdout).toMatch(/damaged: +1 event: cinch doctor --full names them/u);
  const doctor = await rig.cinch(["doctor", "--full"]);
  expect(doctor).toMatchObject({ code: 1 });
  expect(doctor.stdout.match(/DAMAGE {2}sessions/gu)?.length).toBe(2);
}, 300_000);

test("[SES-16 SES-06 R29] a clock that was set back loses nothing, and the session continues where it was", async () => {
  await using rig = await openRig([says(SAID), says("again")]);
  changed(
    rig.path,
    "UPDATE logs SET created_at = '2199-01-01T00:00:00.000Z', updated_at = '2199-01-02T00:00:00.000Z'",
  );
  expect(await rig.run(["-p", "go on", "--continue"])).toMatchObject({ code: 0 });
  expect(await rig.said()).toContain(SAID);
  expect(await rig.said()).toContain("again");
});

const withMounts = requireProgram("unshare");

withMounts(
  "[SES-16 R15] a disk without room ends the turn with a reason, and what was acknowledged before is there",
  async () => {
    await using rig = await openRig([says(SAID), says("x ".repeat(600_000)), says("again"), says("again")]);
    const data = join(rig.home.path, "data");
    const stderr = await mounted(rig, [
      `mkdir ${data}.kept ${data}.after && cp -a ${data}/. ${data}.kept/`,
      `mount -t tmpfs -o size=1m none ${data} && cp -a ${data}.kept/. ${data}/`,
      `"$0" -p long --continue --model mock:one || echo "exit $?" >&2`,
      `cp -a ${data}/. ${data}.after/`,
    ]);
    expect(stderr).toContain("(StoreUnwritable)");
    expect(stderr).toContain("Make room");
    expect(stderr).toContain("exit 1");
    for (const end of ["", "-wal", "-shm"]) {
      const left = join(`${data}.after`, `cinch/sessions.db${end}`);
      if (existsSync(left)) copyFileSync(left, rig.path + end);
    }
    expect(await rig.said()).toContain(SAID);
    expect(await rig.run(["-p", "go on", "--continue"])).toMatchObject({ code: 0 });
  },
);

withMounts(
  "[SES-16] on a disk without any room a session can be deleted, which makes room, and the others go on",
  async () => {
    await using rig = await openRig([says(SAID), says("x ".repeat(300_000)), says("again"), says("again")]);
    expect(await rig.run(["-p", "long"])).toMatchObject({ code: 0 });
    const data = join(rig.home.path, "data");
    const stderr = await mounted(rig, [
      `mkdir ${data}.kept && cp -a ${data}/. ${data}.kept/`,
      `mount -t tmpfs -o size=4m none ${data} && cp -a ${data}.kept/. ${data}/`,
      `cat /dev/zero > ${data}/ballast || echo full >&2`,
      `"$0" -p more --model mock:one || echo "exit $?" >&2`,
      `"$0" sessions delete last --yes || echo "exit $?" >&2`,
      `stat -c 'reserve %s' ${data}/cinch/sessions.db-reserve >&2`,
      `"$0" -p more --continue --model mock:one || echo "exit $?" >&2`,
      `"$0" sessions list >&2 || echo "exit $?" >&2`,
    ]);
    const [before = "", after = ""] = stderr.split(" is deleted\n");
    expect(before).toContain("full\n");
    expect(before).toContain("(StoreUnwritable)");
    expect(before).toMatch(/cannot be written: the disk has no room \(\d+ bytes are free\)/u);
    expect(before.match(/exit \d/gu)).toEqual(["exit 1"]); // the run before, and nothing else
    expect(after).toStartWith("reserve 262144\n");
    expect(after).toContain("remember");
    expect(after).not.toContain("exit");
  },
  300_000,
);

withMounts(
  "[SES-16] where nothing can be written, a run says so, and the sessions can be listed",
  async () => {
    await using rig = await openRig([says(SAID), says("again")]);
    const data = join(rig.home.path, "data");
    const stderr = await mounted(rig, [
      `mount --bind ${data} ${data} && mount -o remount,ro,bind ${data}`,
      `"$0" -p more --continue --model mock:one || echo "exit $?" >&2`,
      `"$0" sessions list >&2 || echo "exit $?" >&2`,
      `"$0" sessions show last >&2 || echo "exit $?" >&2`,
      `"$0" doctor >&2 || echo "exit $?" >&2`,
    ]);
    expect(stderr).toContain("(StoreUnwritable)");
    expect(stderr.match(/exit \d/gu)).toEqual(["exit 1"]);
    expect(stderr).toContain("sess_");
    expect(stderr).toContain("FIRST WORDS");
    expect(stderr).toContain("No damage found");
  },
);

/** Runs lines of a shell, in which $0 is cinch, under mounts that end with it; gives what it told on standard error. */
async function mounted(rig: Rig, lines: readonly string[]): Promise<string> {
  const script = ["set -e", ...lines].join("\n");
  const child = Bun.spawn(["unshare", "--mount", "--map-root-user", "sh", "-c", script, cinchPath()], {
    cwd: rig.work,
    env: { PATH: process.env["PATH"], ...rig.home.env },
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
  });
  return await new Response(child.stderr).text();
}

interface Rig extends AsyncDisposable {
  readonly home: CinchHome;
  readonly work: string;
  /** The database. */
  readonly path: string;
  /** With the model of the rig. */
  run(args: readonly string[]): Promise<CinchResult>;
  cinch(args: readonly string[]): Promise<CinchResult>;
  /** Everything that the newest session says. */
  said(): Promise<string>;
}

/** A home with one session, in which the first of the script was said. */
async function openRig(script: readonly Turn[]): Promise<Rig> {
  const mock = startMockProvider({ script });
  const home = cinchHome();
  const work = join(home.path, "work");
  mkdirSync(work);
  mkdirSync(join(home.path, "config/cinch"));
  const provider = `[providers.mock]\nkind = "openai-compatible"\nbase_url = "${mock.url}/v1"\n`;
  writeFileSync(join(home.path, "config/cinch/config.toml"), provider);
  const rig: Rig = {
    home,
    work,
    path: join(home.path, "data/cinch/sessions.db"),
    run: (args) => runCinch([...args, "--model", "mock:one"], { home, cwd: work }),
    cinch: (args) => runCinch(args, { home, cwd: work }),
    async said() {
      await using store = await openHomeStore(home.path);
      const [log] = await store.list({ limit: 1 });
      return log === undefined ? "" : JSON.stringify(await store.events(log.logId, 0, 9_999));
    },
    async [Symbol.asyncDispose]() {
      await mock[Symbol.asyncDispose]();
      home[Symbol.dispose]();
    },
  };
  expect(await rig.run(["-p", "remember"])).toMatchObject({ code: 0 });
  return rig;
}

function changed(path: string, sql: string): undefined {
  using database = new Database(path);
  database.run(sql);
  database.run("PRAGMA wal_checkpoint(TRUNCATE)");
}

function overwritten(path: string): undefined {
  writeFileSync(path, "no database at all, but a text of some length\n".repeat(400));
}

function cutOff(path: string): undefined {
  truncateSync(path, Math.floor(statSync(path).size / 2 / 4_096) * 4_096 - 700);
}

function locked(path: string, how: "EXCLUSIVE" | "IMMEDIATE"): Disposable {
  const database = new Database(path);
  if (how === "EXCLUSIVE") database.run("PRAGMA locking_mode = EXCLUSIVE");
  database.run(`BEGIN ${how}`);
  return {
    [Symbol.dispose]() {
      database.run("ROLLBACK");
      database.close();
    },
  };
}
