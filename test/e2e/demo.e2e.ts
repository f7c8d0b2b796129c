import { beforeAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { recordDemo } from "../../scripts/record-demo.ts";
import { cinchHome, runCinch, startCinch } from "../support/cinch.ts";
import { noneWith, processesWith } from "../support/processes.ts";
import { readSource } from "../support/source.ts";
import { until } from "../support/until.ts";

const SESSION = /sess_[0-9A-HJKMNP-TV-Z]{26}/;
/** Standard error as it is where there is a sandbox: the demo runs without one too, and says so. */
function confined(stderr: string): string {
  return stderr.replace(/^\n?cinch: There is no sandbox for commands: .*\n/, "");
}

const CASSETTE = "src/cli/commands/demo/cassette.jsonl";
const FIXED = "minutes=$(($1 % 3600 / 60))";

/** A new recording. The demo plays `CASSETTE`, which must have the same tools and prompts. */
let recording: string;

beforeAll(async () => {
  recording = await recordDemo();
  if (recording !== readSource(CASSETTE))
    throw new Error(`${CASSETTE} does not fit today's tools and prompts: run \`npm run generate\``);
});

test("[PROV-08] recording the demo again gives the same bytes", () => {
  expect(recording).toBe(readSource(CASSETTE));
});

test("[PROV-08] cinch demo fixes a real bug in a fresh home, without key or network, and shows what it did", async () => {
  using home = cinchHome();
  // Whoever wanted the network would find a proxy that answers nothing.
  const { code, stdout, stderr } = await runCinch(["demo"], {
    home,
    env: { ...temporary(home.path), ...NO_NETWORK },
  });
  expect({ code, stderr: confined(stderr) }).toEqual({ code: 0, stderr: "" });
  const project = demoFolder(stdout);
  expect(readFileSync(join(project, "lib/words.sh"), "utf8")).toContain(FIXED);
  expect(statSync(join(project, "bin/uptime-words")).mode & 0o111).toBe(0o111);
  const program = Bun.spawnSync([join(project, "bin/uptime-words"), "93784"]);
  expect(program.stdout.toString()).toBe("1 day, 2 hours, 3 minutes, 4 seconds\n");
  for (const shown of [
    "Allowed  reading, edits in this folder, and one command: sh test/run.sh\n",
    "  | FAIL 60: 0 seconds\n",
    "> Read lib/words.sh\n",
    `  + ${FIXED}\n`,
    "sh test/run.sh, run once more by this demo itself\n",
    "  0 failed\n",
    "Tests    they pass\n",
    "Cost     $0.00 now; recorded: about ",
    "in your session store, like any other\n",
    "The model's words were recorded beforehand; the tools, the permissions, the\nsession log and all the rest were real.\n",
  ])
    expect(stdout).toContain(shown);
  expect(stdout).toMatch(SESSION);
  expect(stdout).not.toContain("\x1b");
});

test("[PROV-08] the demo says how to remove what it leaves, and then nothing of it is there", async () => {
  using home = cinchHome();
  const folder = join(home.path, "it's here");
  mkdirSync(folder);
  const { stdout } = await runCinch(["demo"], { home, env: { TMPDIR: folder } });
  expect(readdirSync(folder)).toHaveLength(1);
  const command = / {2}Remove +(rm -r .+)\n/.exec(stdout)?.[1] ?? "false";
  expect(command).toContain("cinch-demo-"); // what a test runs, it has looked at
  expect(Bun.spawnSync(["sh", "-c", command]).exitCode).toBe(0);
  expect(readdirSync(folder)).toEqual([]);
});

test("[PROV-08] the demo fits 80 columns", async () => {
  using home = cinchHome();
  const { stdout } = await runCinch(["demo"], { home, env: temporary(home.path) });
  // The name of the folder is the machine's: counted is what is left without it.
  const lines = stdout.replaceAll(demoFolder(stdout), "/tmp/cinch-demo-123456/project").split("\n");
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
});

test("[PROV-08 SES-07] the demo's session is one like any other: it can be resumed", async () => {
  using home = cinchHome();
  const { stdout } = await runCinch(["demo"], { home, env: temporary(home.path) });
  const [session = ""] = SESSION.exec(stdout) ?? [];
  const again = await runCinch(["-p", "And now?", "--resume", session, "--without-project"], {
    home,
    cwd: demoFolder(stdout),
    env: temporary(home.path),
  });
  // The recording is at its end, which shows that the whole conversation was there.
  expect(again.stderr).toContain("has no more answers: request 1 was never recorded");
});

test("[PROV-08] with the bug already fixed, the recording does not play, and says at which request and where", async () => {
  using home = cinchHome();
  const { code, stdout, stderr } = await runCinch(["demo", "--fixed"], { home, env: temporary(home.path) });
  expect(code).toBe(1);
  expect(
    confined(stderr)
      .replace(/(?<=cassette )\S+cassette\.jsonl/, "FILE")
      .trimStart(),
  ).toBe(
    [
      "cinch: Request 2 does not match the cassette FILE. (CassetteMismatch)",
      "It differs from the request recorded in line 3 of the file in message 3 (the result of a call), at its line 5:",
      "- recorded: FAIL 60: 0 seconds",
      "+ now:      ok   60: 1 minute",
      "",
    ].join("\n"),
  );
  expect(stdout).toContain("  | 0 failed\n");
  expect(stdout).not.toContain("What changed");
  expect(stdout).toContain("so the recording stops instead of pretending.");
});

test("[PROV-08] the demo needs no home and no store that can be written, and keeps its session beside its project", async () => {
  using home = cinchHome();
  writeFileSync(join(home.path, "file"), "no folder");
  const without = { XDG_CONFIG_HOME: undefined, XDG_DATA_HOME: undefined, XDG_STATE_HOME: undefined };
  for (const HOME of [undefined, join(home.path, "file")]) {
    const env = { ...temporary(home.path), ...without, HOME };
    const { code, stdout } = await runCinch(["demo"], { home, env });
    const [, store = ""] = / in (\S+), for want of a store that can be used\n/.exec(stdout) ?? [];
    expect({ HOME, code, kept: existsSync(join(store, "sessions.db")) }).toEqual({
      HOME,
      code: 0,
      kept: true,
    });
    expect(store).toStartWith(join(demoFolder(stdout), ".."));
  }
});

test("[PROV-08] the demo fails when its own look at the tests fails, whatever the model has said", async () => {
  using home = cinchHome();
  mkdirSync(join(home.path, "bin"));
  // The model's two runs are real, and can write in their project only; the third one is the demo's own.
  const runs = ".runs";
  const sh = `#!/bin/sh\necho >>${runs}\n[ "$(wc -l <${runs})" -le 2 ] && exec /bin/sh "$@"\necho broken\nexit 1\n`;
  writeFileSync(join(home.path, "bin/sh"), sh, { mode: 0o755 });
  const env = { ...temporary(home.path), PATH: `${join(home.path, "bin")}:${process.env["PATH"]}` };
  const { code, stdout } = await runCinch(["demo"], { home, env });
  expect(code).toBe(1);
  expect(stdout).toContain("by this demo itself\n  broken\n");
  expect(stdout).toContain("Tests    they fail\n");
});

test("[PROV-08] what the user has configured changes nothing in the demo", async () => {
  using home = cinchHome();
  mkdirSync(join(home.path, "config/cinch"));
  writeFileSync(
    join(home.path, "config/cinch/config.toml"),
    'max_cost = 0.01\nmax_turns = 1\n[permissions]\ndeny = ["Bash", "Edit"]\n',
  );
  const skill = join(home.path, ".agents/skills/mine/SKILL.md");
  mkdirSync(dirname(skill), { recursive: true });
  writeFileSync(skill, "---\nname: mine\ndescription: mine\n---\nmine\n");
  const { code } = await runCinch(["demo"], { home, env: temporary(home.path) });
  expect(code).toBe(0);
});

test.each(["--model=a:b", "--cwd=/", "--auto-approve", "--record=x", "--print=x"])(
  "[CLI-01] cinch demo takes no %s",
  async (flag) => {
    const { code, stdout, stderr } = await runCinch(["demo", flag]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(
      /^cinch: --[a-z-]+ (?:does not go|goes with .* not) with cinch demo\b.* \(UsageInvalid\)\n$/,
    );
  },
);

test("[PROV-08 LIFE-02] a signal ends the demo with 130, and what it runs", async () => {
  using home = cinchHome();
  const marker = `7${Date.now() % 100_000}.125`;
  mkdirSync(join(home.path, "bin"));
  writeFileSync(join(home.path, "bin/sh"), `#!/bin/sh\nexec sleep ${marker}\n`, { mode: 0o755 });
  const env = { ...temporary(home.path), PATH: `${join(home.path, "bin")}:${process.env["PATH"]}` };
  await using cinch = startCinch(["demo"], { home, env });
  await until("its tests run", () => processesWith(`sleep\0${marker}`).length > 0);
  cinch.kill("SIGINT");
  expect(await cinch.exited).toBe(130);
  await noneWith(`sleep\0${marker}`);
});

test("the project of the demo is in the program whole", () => {
  const files = readdirSync(join(import.meta.dir, "../../src/cli/commands/demo/project"), {
    recursive: true,
    withFileTypes: true,
  })
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name);
  const manifest = readSource("src/cli/commands/demo/project.ts");
  expect(files.filter((name) => !manifest.includes(`/${name}" with`))).toEqual([]);
});

const NO_NETWORK = {
  HTTP_PROXY: "http://127.0.0.1:9",
  HTTPS_PROXY: "http://127.0.0.1:9",
  ALL_PROXY: "http://127.0.0.1:9",
};

/** The demo leaves its folder to the person; here it goes with the test's home. */
function temporary(path: string): { readonly TMPDIR: string } {
  return { TMPDIR: path };
}

function demoFolder(stdout: string): string {
  const folder = / {2}Folder +(\/\S+)/.exec(stdout)?.[1];
  if (folder === undefined) throw new Error(`the demo named no folder: ${stdout}`);
  return folder;
}
