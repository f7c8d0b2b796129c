import { expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { cinchPath } from "../support/cinch.ts";
import type { MockHome } from "../support/mock-home.ts";
import { openMockHome } from "../support/mock-home.ts";
import { calls, fails, says } from "../support/mock-provider/turn.ts";
import { childrenOf } from "../support/process-memory.ts";
import { signalIfRunning } from "../support/processes.ts";
import { requirement } from "../support/requires.ts";
import { requireSandbox } from "../support/sandbox-place.ts";
import { ROOT } from "../support/source.ts";
import { until } from "../support/until.ts";

const TIMEOUT_MS = 240_000;
const withSandbox = requireSandbox();
/** A container may have the program and not let it mount. */
const mounts =
  Bun.which("unshare") !== null &&
  Bun.spawnSync(["unshare", "-rm", "mount", "-t", "tmpfs", "none", "/mnt"]).exitCode === 0;
const withMounts = requirement("unshare", mounts, false);
const withSandboxAndMounts = mounts ? withSandbox : withMounts;
const KEYED =
  '[providers.own]\nkind = "openai-compatible"\nbase_url = "http://127.0.0.1:9/v1"\napi_key_env = "OWN_KEY"\n';
const ENV = { OWN_KEY: "canary-0123456789abcdef" };

/** Runs cinch where a folder is a disk of its own: mounted with `options`, and then `before` is run in it. */
async function runOnDisk(
  place: MockHome,
  {
    folder,
    options,
    before = ":",
  }: { readonly folder: string; readonly options: string; readonly before?: string },
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number; readonly stderr: string }> {
  mkdirSync(folder, { recursive: true });
  const script = `mount -t tmpfs -o ${options} none "$0" && cd "$0" && { ${before}; } && cd "$1" && shift && exec "$@"`;
  const child = Bun.spawn(["unshare", "-rm", "sh", "-c", script, folder, place.work, cinchPath(), ...args], {
    env: { PATH: process.env["PATH"], LANG: "C.UTF-8", ...place.home.env, ...env },
    stdio: ["ignore", "ignore", "pipe"],
  });
  return { stderr: await new Response(child.stderr).text(), code: await child.exited };
}

test(
  "[SES-16] a missing temporary folder is reported with its path and remedy, for keys and for commands",
  async () => {
    for (const keyed of [true, false]) {
      await using place = openMockHome(
        [calls("Bash", { command: "echo hi" }), says("x")],
        keyed ? KEYED : "",
      );
      const missing = join(place.home.path, "nowhere");
      const env = { TMPDIR: missing, ...(keyed ? ENV : {}) };
      const { code, stderr } = await place.run(["-p", "go"], { env });
      if (!keyed && !stderr.includes("Temporary")) continue; // without a sandbox no command needs one
      expect([code, stderr]).toEqual([
        2,
        expect.stringContaining(
          `folder ${missing} cannot be used: there is no such folder (ENOENT). Make it (mkdir -p ${missing}), or set TMPDIR`,
        ),
      ]);
    }
  },
  TIMEOUT_MS,
);

// Seen red: the remedy was mkdir -p /proc.
test(
  "[SES-16] a temporary folder that takes no files is reported as that",
  async () => {
    await using place = openMockHome([], KEYED);
    const { code, stderr } = await place.run(["-p", "go"], { env: { TMPDIR: "/proc", ...ENV } });
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining(
        "folder /proc cannot be used: nothing can be made there (ENOENT). Set TMPDIR to another folder that you may write to.",
      ),
    ]);
  },
  TIMEOUT_MS,
);

withMounts(
  "[SES-16] a temporary folder that is full or read-only is reported with its path and remedy",
  async () => {
    await using place = openMockHome([], KEYED);
    const folder = join(place.home.path, "disk");
    const full = { folder, options: "size=16k", before: "head -c 100000 /dev/zero >fill 2>/dev/null; true" };
    const readOnly = { folder, options: "size=16k,ro" };
    for (const [disk, problem] of [
      [full, "no space is left on its disk (ENOSPC). Make room there, or set TMPDIR"],
      [readOnly, "mounted read-only (EROFS). Make it writable for you, or set TMPDIR"],
    ] as const) {
      const { code, stderr } = await runOnDisk(place, disk, ["-p", "go"], { TMPDIR: folder, ...ENV });
      expect([code, stderr]).toEqual([
        2,
        expect.stringContaining(`temporary folder ${folder} cannot be used: `),
      ]);
      expect(stderr).toContain(problem);
    }
  },
  TIMEOUT_MS,
);

withMounts(
  "[SES-16 AUTH-01] a state folder or a configuration folder on a read-only disk is named, with what to do",
  async () => {
    await using place = openMockHome([]);
    const state = join(place.home.path, "state/cinch");
    const serve = await runOnDisk(place, { folder: state, options: "size=1m,mode=700,ro" }, [
      "serve",
      "--listen",
      "127.0.0.1:0",
    ]);
    expect([serve.code, serve.stderr]).toEqual([
      2,
      expect.stringContaining(
        `state folder ${state} cannot be written: it is on a disk that is mounted read-only (EROFS). Make it writable for you, or set XDG_STATE_HOME`,
      ),
    ]);
    const config = join(place.home.path, "config/cinch");
    const { code, stderr } = await runOnDisk(place, { folder: config, options: "size=1m,mode=700,ro" }, [
      "-p",
      "go",
      "--model",
      "openai:x",
    ]);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining(
        "or set XDG_CONFIG_HOME to another folder that you may write to. Or set CINCH_MACHINE_KEY",
      ),
    ]);
  },
  TIMEOUT_MS,
);

/**
 * Fills the disk `$F` up once the file `go` is in the workspace, then makes `full` there. Once the file `look` is
 * there, runs `probe`, which needs what was used up: makes `held` if it fails, and then `looked`.
 */
const fillLater = (fill: string, probe = ":") =>
  `F="$0"; W="$1"; has() { while [ ! -e "$W/$1" ]; do [ -e "$W" ] || exit; sleep 0.05; done; }; ` +
  `{ has go; ${fill}; : > "$W/full"; has look; (${probe}) || : > "$W/held"; : > "$W/looked"; } 2>/dev/null & :`;
const FILL_INODES = 'i=0; while (: > "$F/fill$i") 2>/dev/null; do i=$((i + 1)); done';

/**
 * Has a run prove the sandbox, in the same namespaces. A later run would prove it beside its first request, in a folder
 * that comes and goes, and what that one frees would be enough for the folder of the session.
 */
const PROVE = '(cd "$1" && shift && TMPDIR=/tmp "$1" -p prove --auto-approve)';

/** A model that runs a command for `prove`; then one that has the disk filled up, and then a command run. */
function openFilling(): MockHome {
  let answers = 0;
  const place: MockHome = openMockHome(() => {
    answers += 1;
    const after = (what: string, asked: string, told: string) => {
      writeFileSync(join(place.work, asked), "");
      return until(what, () => existsSync(join(place.work, told)));
    };
    if (answers === 1) return calls("Bash", { command: "echo proven" });
    if (answers === 2) return says("proven");
    // No call has needed a sandbox so far in this run.
    if (answers === 3)
      return calls("Bash", { command: "echo it ran" }, { hold: after("the disk is full", "go", "full") });
    return says("done", { hold: after("the disk was looked at", "look", "looked") });
  });
  return place;
}

/** Messages of the last request, as JSON. */
const lastMessages = (place: MockHome) => JSON.stringify(place.provider.requests.at(-1)?.body["messages"]);

// The first file of the sandbox has content: without a free page it cannot be written, whenever it is written.
for (const pages of [0, 1, 2, 3, 4])
  withSandboxAndMounts(
    `[SES-16] a disk that fills up in the middle of a run is reported with its path and remedy, however little space remains: ${pages} pages`,
    async () => {
      await using place = openFilling();
      const folder = join(place.home.path, "disk");
      const fill =
        `head -c 99999999 /dev/zero > "$F/fill" 2>/dev/null; ` +
        `truncate -s -$((4096 * ${pages})) "$F/fill"; ls -A "$F" > "$W/there"`;
      const before = `${PROVE} && ${fillLater(fill)}`;
      const disk = { folder, options: "size=1m,mode=700", before };
      const { code, stderr } = await runOnDisk(place, disk, ["-p", "go", "--auto-approve"], {
        TMPDIR: folder,
      });
      expect(existsSync(join(place.home.path, "state/cinch/sandbox-proof"))).toBe(true);
      expect(readFileSync(join(place.work, "there"), "utf8")).toBe("fill\n");
      if (pages > 0 && code === 0) {
        expect(lastMessages(place)).toContain(">\\nit ran\\n"); // what was left was enough
        return;
      }
      if (pages === 0) expect([code, stderr]).toEqual([2, expect.stringContaining("(TemporaryUnusable)")]);
      expect([1, 2]).toContain(code);
      expect(stderr).toMatch(
        /\/disk\S* cannot be (?:used|written): no space is left on its disk \(ENOSPC\)\. Make room/u,
      );
      expect(stderr).not.toContain("InternalError");
    },
    TIMEOUT_MS,
  );

withSandboxAndMounts(
  "[SES-16 TOOL-02] a data folder in which no file can be made any more stops no command",
  async () => {
    await using place = openFilling();
    const folder = join(place.home.path, "data/cinch");
    const before = `${PROVE} && ${fillLater(FILL_INODES, ': > "$F/more"')}`;
    await runOnDisk(place, { folder, options: "size=4m,nr_inodes=60,mode=700", before }, [
      "-p",
      "go",
      "--auto-approve",
    ]);
    expect(lastMessages(place)).toContain(">\\nit ran\\n");
    expect(existsSync(join(place.work, "held"))).toBe(true); // no file could be made up to the end
  },
  TIMEOUT_MS,
);

/** A place with a temporary folder of its own. */
function temporaryOf(place: MockHome): string {
  const folder = join(place.home.path, "temporary");
  mkdirSync(folder);
  return folder;
}

test(
  "[SES-18 REL-03] what a keeper that is killed at its start leaves in the temporary folder is gone after the next run of anything, and nothing else",
  async () => {
    await using place = openMockHome([fails({ kind: "stall", at: "first-byte" })], KEYED);
    const folder = temporaryOf(place);
    const env = { TMPDIR: folder, ...ENV };
    const unmarked = mkdtempSync(join(folder, "cinch-keys-")); // as one that was killed a moment earlier leaves it
    // A keeper that is killed before its helper runs: later the helper would remove the folder.
    const program = `import { makeTemporaryFolder } from "${ROOT}/src/platform/files/temporary.ts";
      makeTemporaryFolder("cinch-keys-");
      process.kill(process.pid, "SIGKILL");`;
    const flags = ["--no-install", "--no-env-file", "--config=/dev/null"];
    Bun.spawnSync([process.execPath, ...flags, "-e", program], { env: { TMPDIR: folder } });
    await using living = place.start(["-p", "go"], { env });
    await until(
      "another one runs",
      () => childrenOf(living.pid).length > 0 && readdirSync(folder).length === 3,
    );
    await place.run(["models"], { env: { TMPDIR: folder } });
    expect([readdirSync(folder).length, existsSync(unmarked)]).toEqual([2, true]);
    const before = Date.now() / 1_000 - 120;
    utimesSync(unmarked, before, before);
    await place.run(["models"], { env: { TMPDIR: folder } });
    expect([readdirSync(folder).length, existsSync(unmarked)]).toEqual([1, false]);
    living.kill("SIGTERM");
    await living.exited;
  },
  TIMEOUT_MS,
);

withSandbox(
  "[SES-18 REL-03] what a killed run leaves of its sandbox is gone after the next run, though that runs no command",
  async () => {
    const command = "touch started; sleep 600";
    await using place = openMockHome([calls("Bash", { command }), says("hi")]);
    const folder = temporaryOf(place);
    await using running = place.start(["-p", "go"], { env: { TMPDIR: folder } });
    await until("the command has begun", () => existsSync(join(place.work, "started")));
    signalIfRunning(running.pid, "SIGKILL");
    await running.exited;
    expect(readdirSync(folder)).toHaveLength(1);
    expect((await place.run(["-p", "hi"], { env: { TMPDIR: folder } })).code).toBe(0);
    expect(readdirSync(folder)).toEqual([]);
  },
  TIMEOUT_MS,
);

// Seen red before the sweep: the empty files stayed until the next command in a sandbox.
withSandbox(
  "[REL-03 S26] the empty places that a killed run leaves in its workspace are gone after the next run of anything",
  async () => {
    const command = "touch started; sleep 600";
    await using place = openMockHome([calls("Bash", { command }), says("hi")]);
    const env = { TMPDIR: temporaryOf(place), HOME: place.work };
    await using running = place.start(["-p", "go"], { env });
    await until("the command has begun", () => existsSync(join(place.work, "started")));
    const left = () => readdirSync(place.work).filter((name) => /^\.(?:bash|profile|gitconfig)/.test(name));
    const began = left();
    expect(began).toContain(".bash_profile");
    await place.run(["models"], { env });
    expect(left()).toEqual(began); // a living run needs them
    signalIfRunning(running.pid, "SIGKILL");
    await running.exited;
    writeFileSync(join(place.work, ".bashrc"), "alias ll='ls -l'\n");
    await until("its engine has ended", async () => {
      await place.run(["models"], { env });
      return left().length < began.length;
    });
    expect([left(), existsSync(join(place.work, ".cinch"))]).toEqual([[".bashrc"], false]);
  },
  TIMEOUT_MS,
);
