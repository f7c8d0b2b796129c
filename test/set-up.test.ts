import { expect, test } from "bun:test";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { signalIfRunning } from "./support/processes.ts";
import { requireProgram } from "./support/requires.ts";
import { ROOT } from "./support/source.ts";
import { until } from "./support/until.ts";
import { temporaryDirectory } from "./support/world.ts";

// The launchers on a copy of what they need, with an npm that installs a Bun which prints its arguments.

const FLAGS = ["--no-install", "--no-env-file", "--config=/dev/null"];

function openCopy() {
  const scratch = temporaryDirectory("cinch set-up ");
  const root = join(scratch.path, "a clone");
  const bin = join(scratch.path, "bin");
  const log = join(scratch.path, "npm.log");
  for (const folder of [join(root, "scripts"), bin]) mkdirSync(folder, { recursive: true });
  for (const file of ["cinch", "package-lock.json", "scripts/set-up.sh", "scripts/bun.sh"]) {
    copyFileSync(join(ROOT, file), join(root, file));
  }
  program(
    join(bin, "npm"),
    `echo "$PWD: $*" >>"${log}"
     [ -e "${log}.begin" ] && { : >"${log}.hanging"; exec sleep 60; }
     rm -rf node_modules
     [ -e "${log}.fail" ] && { echo "no network" >&2; exit 1; }
     mkdir -p node_modules/@oven/bun-test/bin
     [ -e "${log}.hang" ] && { : >"${log}.hanging"; exec sleep 60; }
     printf '#!/bin/sh\\nprintf "%%s\\\\n" "$@"\\n' >node_modules/@oven/bun-test/bin/bun
     chmod +x node_modules/@oven/bun-test/bin/bun`,
  );
  const installs = () => (existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : []);
  const env = { PATH: `${bin}:/usr/bin:/bin` };
  return {
    root,
    installs,
    flag: (name: "begin" | "fail" | "hang") => writeFileSync(`${log}.${name}`, ""),
    unflag: (name: "begin" | "fail" | "hang") => rmSync(`${log}.${name}`),
    hanging: () => existsSync(`${log}.hanging`),
    started: [...FLAGS, `--tsconfig-override=${root}/tsconfig.json`, `${root}/src/cli/main.ts`, "--"],
    scratch: scratch.path,
    start(
      argv: readonly string[],
      options: { readonly cwd?: string; readonly env?: Record<string, string> } = {},
    ) {
      return Bun.spawn([...argv], {
        cwd: options.cwd ?? scratch.path,
        env: { ...env, ...options.env },
        detached: true,
        stdio: ["ignore", "pipe", "pipe"],
      });
    },
    [Symbol.asyncDispose]: () => scratch[Symbol.asyncDispose](),
  };
}

function program(path: string, script: string): void {
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
}

async function ended(child: Bun.Subprocess<"ignore", "pipe", "pipe">) {
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code: await child.exited, lines: stdout.split("\n").slice(0, -1), stderr };
}

test("[DIST-01] the launcher sets itself up once, through a symlink and a path with spaces", async () => {
  await using copy = openCopy();
  const link = join(copy.scratch, "bin", "my cinch");
  symlinkSync("../a clone/cinch", link);
  const first = await ended(copy.start([link, "-p", "two words", ""], { env: { CDPATH: copy.scratch } }));
  expect(first).toMatchObject({ code: 0, lines: [...copy.started, "-p", "two words", ""] });
  expect(copy.installs()).toEqual([
    `${copy.root}: ci --ignore-scripts --no-audit --no-fund --loglevel=error --omit=dev`,
  ]);
  const second = await ended(
    copy.start(
      ["my cinch"].map((name) => `./${name}`),
      { cwd: join(copy.scratch, "bin") },
    ),
  );
  expect(second).toEqual({ code: 0, lines: copy.started, stderr: "" });
  const bare = await ended(copy.start(["sh", "cinch"], { cwd: copy.root, env: { CDPATH: copy.scratch } }));
  expect(bare).toEqual({ code: 0, lines: copy.started, stderr: "" });
  expect(copy.installs()).toHaveLength(1);
});

test("many first uses at once install once", async () => {
  await using copy = openCopy();
  const runs = Array.from({ length: 8 }, () => ended(copy.start([join(copy.root, "cinch"), "x"])));
  for (const run of await Promise.all(runs))
    expect(run).toMatchObject({ code: 0, lines: [...copy.started, "x"] });
  expect(copy.installs()).toHaveLength(1);
  expect(existsSync(join(copy.root, ".cinch-set-up"))).toBe(false);
});

test("a start waits while another process replaces what is installed", async () => {
  await using copy = openCopy();
  const cinch = [join(copy.root, "cinch")];
  await ended(copy.start(cinch));
  copy.flag("begin");
  const developer = copy.start(["/bin/sh", join(copy.root, "scripts/bun.sh"), "x.ts"]);
  await until("npm has begun", copy.hanging);
  const waiting = copy.start(cinch);
  const stderr = waiting.stderr.getReader();
  const { value } = await stderr.read();
  expect(new TextDecoder().decode(value)).toContain("waiting for the set-up by process");
  signalIfRunning(-developer.pid, "SIGKILL");
  await developer.exited;
  expect([await waiting.exited, copy.installs().length]).toEqual([0, 2]);
});

test("a changed lock file, and development tools that are missing, are installed", async () => {
  await using copy = openCopy();
  await ended(copy.start([join(copy.root, "cinch")]));
  const developer = await ended(copy.start(["/bin/sh", join(copy.root, "scripts/bun.sh"), "x.ts"]));
  expect(developer.lines.at(-1)).toBe("x.ts");
  expect(copy.installs()[1]).toEndWith("--loglevel=error");
  await ended(copy.start([join(copy.root, "cinch")]));
  expect(copy.installs()).toHaveLength(2);
  writeFileSync(join(copy.root, "package-lock.json"), "{}");
  await ended(copy.start([join(copy.root, "cinch")]));
  expect(copy.installs()).toHaveLength(3);
});

test("a node_modules that is a link to another clone's is reported, and nothing is installed through it", async () => {
  await using copy = openCopy();
  const other = join(copy.scratch, "other");
  mkdirSync(other);
  writeFileSync(join(other, "kept"), "");
  symlinkSync(other, join(copy.root, "node_modules"));
  const refused = await ended(copy.start([join(copy.root, "cinch")]));
  expect(refused).toMatchObject({ code: 2, lines: [] });
  expect(refused.stderr).toContain("node_modules is a link, and installing would empty the folder");
  expect(copy.installs()).toEqual([]);
  expect(existsSync(join(other, "kept"))).toBe(true);
});

test("[DIST-01] a node_modules that another program made is kept, and the message says how to go on", async () => {
  await using copy = openCopy();
  const bun = join(copy.root, "node_modules/@oven/bun-test/bin/bun");
  mkdirSync(join(bun, ".."), { recursive: true });
  program(bun, 'printf "%s\\n" "$@"');
  const cinch = [join(copy.root, "cinch")];
  const refused = await ended(copy.start(cinch));
  expect(refused).toMatchObject({ code: 2, lines: [] });
  expect(refused.stderr).toContain("node_modules was made by another program");
  expect([copy.installs(), existsSync(bun)]).toEqual([[], true]);

  const [, remedy = ""] = /To use it as it is: (.*)\n/.exec(refused.stderr) ?? [];
  expect(await ended(copy.start(["sh", "-c", remedy]))).toMatchObject({ code: 0, stderr: "" });
  expect(await ended(copy.start(cinch))).toEqual({ code: 0, lines: copy.started, stderr: "" });
  expect(copy.installs()).toEqual([]);

  const [, removal = ""] = /again: (rm .*)\. To use/.exec(refused.stderr) ?? [];
  expect(await ended(copy.start(["sh", "-c", removal]))).toMatchObject({ code: 0, stderr: "" });
  expect(await ended(copy.start(cinch))).toMatchObject({ code: 0, lines: copy.started });
  expect(copy.installs()).toHaveLength(1);
});

test("an impossible set-up is reported with its remedy, and the next try begins again", async () => {
  await using copy = openCopy();
  const without = await ended(
    copy.start([join(copy.root, "cinch")], { env: { PATH: join(copy.scratch, "nothing") } }),
  );
  expect(without).toMatchObject({ code: 2, lines: [] });
  expect(without.stderr).toContain("needs Node and npm on the PATH");
  copy.flag("fail");
  const failed = await ended(copy.start([join(copy.root, "cinch")]));
  expect(failed).toMatchObject({ code: 2, lines: [] });
  expect(failed.stderr).toMatch(/no network\ncinch: npm ci failed in .*a clone; mend what it says above/);
  copy.unflag("fail");
  expect(await ended(copy.start([join(copy.root, "cinch")]))).toMatchObject({ code: 0, lines: copy.started });
});

for (const signal of ["SIGTERM", "SIGKILL"] as const) {
  test(`a set-up that ${signal} interrupts is made good by the next use`, async () => {
    await using copy = openCopy();
    copy.flag("hang");
    const interrupted = copy.start([join(copy.root, "cinch")]);
    await until("npm has begun", copy.hanging);
    signalIfRunning(-interrupted.pid, signal);
    await interrupted.exited;
    copy.unflag("hang");
    expect(await ended(copy.start([join(copy.root, "cinch")]))).toMatchObject({
      code: 0,
      lines: copy.started,
    });
    expect(copy.installs()).toHaveLength(2);
  });
}

test("[S33] a PATH with a dot in it runs nothing of the folder that cinch is started in", async () => {
  await using copy = openCopy();
  const hostile = join(copy.scratch, "hostile");
  mkdirSync(hostile);
  for (const name of [
    "npm",
    "cksum",
    "dirname",
    "readlink",
    "ln",
    "rm",
    "mkdir",
    "rmdir",
    "sleep",
    "cat",
    "env",
  ]) {
    program(join(hostile, name), `: >"${join(copy.scratch, "canary")}"`);
  }
  const env = { PATH: `.:${join(copy.scratch, "bin")}:/usr/bin:/bin` };
  const run = await ended(copy.start([join(copy.root, "cinch")], { cwd: hostile, env }));
  expect(run).toMatchObject({ code: 0, lines: copy.started });
  expect(existsSync(join(copy.scratch, "canary"))).toBe(false);
});

requireProgram("bwrap")("a clone on a read-only disk says that it must be set up by its owner", async () => {
  await using copy = openCopy();
  const sandbox = ["bwrap", "--ro-bind", "/", "/", "--dev", "/dev"];
  const run = await ended(copy.start([...sandbox, join(copy.root, "cinch")]));
  expect(run).toMatchObject({ code: 2, lines: [] });
  expect(run.stderr).toContain("must be set up once and cannot be written");
});
