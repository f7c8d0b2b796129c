import { expect, test } from "bun:test";
import { join } from "node:path";
import { cinchHome, runCinch } from "../support/cinch.ts";
import { liveThrough } from "../support/live-through.ts";
import { requireProgram } from "../support/requires.ts";
import { openLife } from "../support/session-life.ts";
import { openTerminal } from "../support/terminal.ts";
import { until } from "../support/until.ts";

/** `npm run soak -- --session` asks for more. */
const TURNS = Number(process.env["CINCH_SESSION_TURNS"] ?? 40);
const TIMEOUT_MS = 60_000 + TURNS * 2_000;

test(
  "[SES-06 SES-07 SES-08 SES-09 SES-10 SES-15 SES-17 REL-02] a session of real tool turns is killed, resumed, branched, rewound, exported, imported and replayed from the command line",
  async () => {
    await using rig = openLife();
    await liveThrough(rig, TURNS);
  },
  TIMEOUT_MS,
);

requireProgram("tmux")(
  "[SES-09 R39] at a terminal a session is replayed step by step, by keys, and the terminal is given back",
  async () => {
    await using rig = openLife();
    await rig.cinch([], ["turn 1", "turn 2", "turn 3"]);
    await rig.withoutModel();
    await using terminal = await openTerminal({ home: rig.home, cwd: rig.work });
    const cinch = `sh -c 'exec "$CINCH" sessions replay last'`;
    await terminal.type(
      `clear; stty -a >before; ${cinch}; echo code $?; stty -a >after; cmp before after && echo same"" modes`,
    );
    await terminal.press("Enter");
    await terminal.shows("q: leave");
    expect(await terminal.screen()).not.toContain("you asked");
    await terminal.press("Space");
    await terminal.shows("| turn 1");
    await terminal.press("Space");
    await terminal.shows("* Write turn-1.txt");
    expect(await terminal.screen()).not.toContain("Write ok");
    await terminal.press("t");
    await terminal.shows("-- end of turn 1: 2 rounds");
    await terminal.type("3g");
    await terminal.shows("| turn 3");
    expect(await terminal.screen()).not.toContain("| turn 2");
    await terminal.press("b");
    await terminal.shows("| turn 2");
    await terminal.press("p");
    const ends = async () => (await terminal.screen()).split("-- end of turn 1").length - 1;
    await until("the end of the first turn once more", async () => (await ends()) === 2);
    await terminal.type("9g");
    await terminal.shows("-- there is no turn 9 here");
    await terminal.press("e");
    await terminal.shows("-- the end of the log");
    await terminal.press("q");
    await terminal.shows("code 0");
    await terminal.shows("\nsame modes");
  },
  TIMEOUT_MS,
);

test(
  "[SES-07 CLI-01] /sessions:resume goes to another session and back; what is typed goes to where the person is",
  async () => {
    await using rig = openLife();
    await rig.cinch([], ["turn 1"]);
    const [first] = await rig.json(["sessions", "list"]);
    const id = String(first?.["session"]);
    const lines = [
      "in the new one",
      `/sessions:resume ${id.slice(5, -4)}`,
      "in the old one",
      "/sessions:list",
      "/sessions:resume 0000",
    ];
    const { code, stdout } = await rig.cinch([], lines);
    expect(code).toBe(0);
    expect(rig.sentWords()).toEqual(["turn 1", "in the old one"]);
    expect(stdout).toContain("You said: in the new one");
    expect(stdout).toMatch(/^now in sess_\w+; \/resume sess_\w+ returns to the other one$/m);
    expect(stdout).toContain("you asked:\n| turn 1\n");
    expect(stdout).toMatch(/^running {2}sess_\w+ .* 2 {6}cinch line clie… {2}turn 1$/m);
    expect(stdout).toContain("There is no stored session '0000'.");
  },
  TIMEOUT_MS,
);

test(
  "[SES-06 SES-09 SES-10] expiry is announced first and done with --yes; afterwards replay, show and export say «ttl-expired», and the session continues",
  async () => {
    await using rig = openLife();
    await rig.cinch([], ["the heron"]);
    const told = await rig.cinch(["sessions", "expire", "--older-than", "0"]);
    expect(told.stdout).toMatch(/^sess_\w+ would lose its old content\n$/);
    expect(told.stderr).toContain("nothing was changed; --yes does it");
    expect((await rig.cinch(["sessions", "export", "last"])).stdout).toContain("the heron");
    const done = await rig.cinch(["sessions", "expire", "--older-than", "0", "--yes"]);
    expect(done).toMatchObject({ code: 0 });
    expect(done.stdout).toMatch(/^sess_\w+ has lost the content of \d+ events\n$/);
    const shown = await Promise.all(
      [
        ["replay", "last"],
        ["show", "last"],
        ["export", "last"],
        ["export", "last", "--format", "markdown"],
      ].map((args) => rig.cinch(["sessions", ...args])),
    );
    for (const { code, stdout } of shown) {
      expect(code).toBe(0);
      expect(stdout).not.toContain("heron");
      expect(stdout).toContain("«ttl-expired»");
    }
    expect(shown[0]?.stdout).toContain("you asked:\n| «ttl-expired»\n");
    expect(shown[0]?.stdout).toContain("-- end of turn 1: 1 round\n");
    const [list] = await rig.json(["sessions", "list"]);
    expect(list).toMatchObject({ turns: 1, title: "" });
    expect(await rig.cinch(["-p", "and now", "--continue"])).toMatchObject({
      code: 0,
      stdout: "You said: and now\n",
    });
  },
  TIMEOUT_MS,
);

test(
  "[SES-07 SES-10] an import ends with the command that continues with it; continuing gives a new id each time, and every earlier one still names the session; lists fit 80 columns",
  async () => {
    await using rig = openLife();
    await rig.cinch(["-p", "first"]);
    const file = join(rig.work, "export.jsonl");
    expect(await rig.cinch(["sessions", "export", "last", "--output", file])).toMatchObject({ code: 0 });
    const imported = await rig.cinch(["sessions", "import", file]);
    const id = imported.stdout.trim();
    expect(imported.stderr).toMatch(/^cinch: imported \d+ events: cinch --resume sess_\w+\n$/);
    expect(imported.stderr).toEndWith(`: cinch --resume ${id}\n`);
    const ids = [id];
    for (const words of ["second", "third"]) {
      expect(await rig.cinch(["--resume", id, "-p", words])).toMatchObject({ code: 0 });
      const [now] = await rig.json(["sessions", "show", id]);
      ids.push(String(now?.["session"]));
    }
    expect(new Set(ids).size).toBe(3);
    expect(rig.sentWords()).toEqual(["first", "second", "third"]);
    const shown = await Promise.all(ids.map((each) => rig.json(["sessions", "show", each])));
    expect(new Set(shown.map(([each]) => each?.["log"])).size).toBe(1);
    for (const args of [["list"], ["list", "--all"], ["show", id], ["show", id, "--cost"]]) {
      const { stdout } = await rig.cinch(["sessions", ...args]);
      expect(Math.max(...stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
      const short = String(ids.at(-1)).slice(0, 17);
      expect(stdout).toContain(short);
      expect(await rig.json(["sessions", "show", short])).toEqual(await rig.json(["sessions", "show", id]));
    }
  },
  TIMEOUT_MS,
);

test("[SES-10 SES-16] what is no file that can be read twice is refused as an export, and said to be that", async () => {
  using home = cinchHome();
  const pipe = join(home.path, "pipe");
  expect(Bun.spawnSync(["mkfifo", pipe]).exitCode).toBe(0);
  for (const path of [pipe, home.path]) {
    const { code, stderr } = await runCinch(["sessions", "import", path], { home });
    const problem = `${path} is not a regular file; an import is read twice, so write it to a file first`;
    expect({ code, stderr }).toEqual({ code: 2, stderr: `cinch: ${problem} (UsageInvalid)\n` });
  }
});
