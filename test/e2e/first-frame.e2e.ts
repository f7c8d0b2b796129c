import { expect } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { FIRST_CLIENT_MS_MAX, LOOK_MS } from "../../src/cli/shared-engine/until-idle.ts";
import { hostClock } from "../../src/platform/clock.ts";
import { lockFile } from "../../src/platform/files/file-lock.ts";
import { hostMachine } from "../../src/platform/machine.ts";
import { cinchHome, startCinch } from "../support/cinch.ts";
import { startMockProvider } from "../support/mock-provider/mock-provider.ts";
import { says } from "../support/mock-provider/turn.ts";
import { noneWith, someWith } from "../support/processes.ts";
import { requireProgram } from "../support/requires.ts";
import { openTerminal } from "../support/terminal.ts";

const test = requireProgram("tmux");
const TIMEOUT_MS = 300_000;
/** The header and the prompt alone: there is no session yet. */
const FIRST_FRAME = /^cinch \d+\.\d+\.\d+ · \S+\/work\n>$/;

test(
  "[PERF-01 CLI-01] the first frame waits for no engine, and what is typed meanwhile is sent in its order",
  async () => {
    await using rig = await openRig();
    const engine = await rig.hold("start");
    await rig.begin();
    await rig.terminal.shows(FIRST_FRAME);
    await rig.enter("the first line");
    await rig.enter("the second line");
    await rig.terminal.type("the third");
    await rig.terminal.shows(/> the first line\n> the second line\n> the third$/);
    await rig.terminal.press("BSpace", "BSpace", "BSpace", "BSpace", "BSpace");
    await rig.terminal.shows(/\n> the$/);
    expect(rig.mock.requests).toEqual([]);
    engine[Symbol.dispose]();
    await rig.terminal.shows("answer 2");
    await rig.terminal.shows(/\n> the$/);
    expect(await rig.terminal.screen()).toContain("/help lists commands\n");
    const sent = rig.mock.requests.map(({ body }) => JSON.stringify(body["messages"]));
    expect(sent.map((text) => [text.includes("the first line"), text.includes("the second line")])).toEqual([
      [true, false],
      [true, true],
    ]);
    await rig.terminal.type(" last");
    await rig.terminal.press("Enter");
    await rig.terminal.shows("answer 3");
    await rig.enter("/quit");
    await rig.terminal.shows("code 0");
    await rig.terminal.shows("\nsame modes");
  },
  TIMEOUT_MS,
);

test(
  "[PERF-01 PERM-14 TOFU-04] a question that opens after a line was typed is not answered by it, and the line is sent after it",
  async () => {
    await using rig = await openRig();
    writeFileSync(join(rig.work, "AGENTS.md"), "Speak briefly.\n");
    const engine = await rig.hold("start");
    await rig.begin();
    await rig.terminal.shows(FIRST_FRAME);
    await rig.enter("1");
    engine[Symbol.dispose]();
    await rig.terminal.shows(/choice \(\d+ s\) >$/);
    expect(rig.mock.requests).toEqual([]);
    await rig.enter("1");
    await rig.terminal.shows("answer 1");
    expect(JSON.stringify(rig.mock.requests[0]?.body["messages"])).toContain("Speak briefly.");
    await rig.enter("/quit");
    await rig.terminal.shows("code 0");
  },
  TIMEOUT_MS,
);

for (const [name, leave, code] of [
  ["Ctrl-C", { press: "C-c" }, 130],
  ["Ctrl-D", { press: "C-d" }, 0],
  ["/quit", { enter: "/quit" }, 0],
] as const) {
  test(
    `[PERF-01 CLI-01 R39] ${name} before there is an engine leaves at once, with the terminal as it was and no process`,
    async () => {
      await using rig = await openRig();
      using _engine = await rig.hold("start");
      await rig.begin();
      await rig.terminal.shows(FIRST_FRAME);
      await rig.enter("a line");
      if ("enter" in leave) await rig.enter(leave.enter);
      else await rig.terminal.press(leave.press);
      await rig.terminal.shows(`code ${code}`);
      await rig.terminal.shows("\nsame modes");
      await noneWith(rig.work);
      expect(await rig.terminal.screen()).not.toContain("cinch:");
    },
    TIMEOUT_MS,
  );
}

test(
  "[CTL-18 LIFE-02] an engine that its only client no longer waits for ends once it has started",
  async () => {
    await using rig = await openRig();
    const engine = await rig.hold("lock");
    await rig.begin();
    await rig.terminal.shows(FIRST_FRAME);
    await someWith("--starter");
    await rig.terminal.press("C-c");
    await rig.terminal.shows("code 130");
    engine[Symbol.dispose]();
    await noneWith(rig.work);
  },
  TIMEOUT_MS,
);

test(
  "[CTL-18 LIFE-02] an engine whose starter has gone before any client came ends soon; one whose starter lives waits",
  async () => {
    for (const isGone of [false, true]) {
      await using rig = await openRig();
      const { pid, processStart } = hostMachine();
      const starter = isGone ? `${pid}:no such start` : `${pid}:${processStart}`;
      await using engine = startCinch(["serve", "--until-idle", "--starter", starter], {
        home: rig.home,
        cwd: rig.work,
      });
      const sinceMs = performance.now();
      if (!isGone) {
        for await (const line of engine.stdout) if (line.includes("serving")) break;
        await hostClock.sleep(3 * LOOK_MS, new AbortController().signal); // the engine looks more than once
        engine.kill("SIGTERM");
      }
      expect(await engine.exited).toBe(isGone ? 0 : 130);
      expect(performance.now() - sinceMs).toBeLessThan(FIRST_CLIENT_MS_MAX / 2);
    }
  },
  TIMEOUT_MS,
);

test(
  "[PERF-01 LIFE-01] a start that fails stands below the first frame with its remedy and its exit code",
  async () => {
    await using rig = await openRig();
    writeFileSync(join(rig.home.path, "config/cinch/config.toml"), "colour = 1\n");
    await rig.begin();
    await rig.terminal.shows("code 2");
    await rig.terminal.shows("\nsame modes");
    const screen = await rig.terminal.screen();
    expect(screen).toMatch(/^cinch \d+\.\d+\.\d+ · \S+\/work\ncinch: .*colour.*\(ConfigInvalid\)\ncode 2\n/s);
    await noneWith(rig.work);
  },
  TIMEOUT_MS,
);

async function openRig() {
  let answers = 0;
  const mock = startMockProvider({
    script: () => {
      answers += 1;
      return says(`answer ${answers}`);
    },
  });
  const home = cinchHome();
  const work = join(home.path, "work");
  const data = join(home.path, "data/cinch");
  mkdirSync(work);
  mkdirSync(data, { mode: 0o700 });
  mkdirSync(join(home.path, "config/cinch"));
  writeFileSync(
    join(home.path, "config/cinch/config.toml"),
    `[providers.mock]\nkind = "openai-compatible"\nbase_url = "${mock.url}/v1"\n`,
  );
  const terminal = await openTerminal({ home, cwd: work });
  return {
    mock,
    home,
    work,
    terminal,
    /** Takes a lock that a client needs to start an engine, or that the engine needs to serve. */
    hold: (lock: "start" | "lock") =>
      lockFile(join(data, `control.sock.${lock}`), hostClock, new AbortController().signal),
    async begin() {
      const cinch = `"$CINCH" --plain --model mock:one --cwd "$PWD"`;
      await terminal.type(
        `stty -a >before; clear; ${cinch}; echo co""de $?; stty -a >after; cmp before after && echo same"" modes`,
      );
      await terminal.press("Enter");
    },
    async enter(line: string) {
      await terminal.type(line);
      await terminal.press("Enter");
    },
    async [Symbol.asyncDispose]() {
      await terminal[Symbol.asyncDispose]();
      await noneWith(work);
      await mock[Symbol.asyncDispose]();
      home[Symbol.dispose]();
    },
  };
}
