import { expect } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cinchHome, runCinch } from "../support/cinch.ts";
import type { MockOptions } from "../support/mock-provider/mock-provider.ts";
import { startMockProvider } from "../support/mock-provider/mock-provider.ts";
import { calls, says } from "../support/mock-provider/turn.ts";
import { processesWith, signalIfRunning } from "../support/processes.ts";
import { requireProgram } from "../support/requires.ts";
import type { Terminal } from "../support/terminal.ts";
import { openTerminal } from "../support/terminal.ts";
import { until } from "../support/until.ts";

const TIMEOUT_MS = 300_000;
const test = requireProgram("tmux");
const READY = "/help lists commands";
const ASKS = "1-4 >";

/** One home, one folder to work in, and as many terminals as a test opens. */
function openPlace(options: MockOptions) {
  const provider = startMockProvider(options);
  const home = cinchHome();
  const work = join(home.path, "work");
  mkdirSync(work);
  mkdirSync(join(home.path, "config/cinch"));
  writeFileSync(
    join(home.path, "config/cinch/config.toml"),
    `[providers.mock]\nkind = "openai-compatible"\nbase_url = "${provider.url}/v1"\n[providers.keyed]\nkind = "openai-compatible"\nbase_url = "${provider.url}/v1"\napi_key_env = "KEYED_KEY"\n`,
  );
  const terminals: Terminal[] = [];
  return {
    provider,
    home,
    work,
    /** The engine that listens, by its process id. */
    async engine() {
      const { stdout: token } = await runCinch(["token", "--identity-class", "human"], { home, cwd: work });
      const unix = join(home.path, "data/cinch/control.sock");
      const answer = await fetch("http://localhost/v1/runtime", {
        unix,
        headers: { "X-Harness-Token": token.trim() },
      });
      return Number(Reflect.get(Object(await answer.json()), "pid"));
    },
    async open(words: string, variable = "") {
      const terminal = await openTerminal({ home, cwd: work });
      terminals.push(terminal);
      await terminal.type(
        `clear; ${variable} "$CINCH" --plain ${words.includes("--model") ? "" : "--model mock:one"} ${words}; echo co""de $?`,
      );
      await terminal.press("Enter");
      return terminal;
    },
    async [Symbol.asyncDispose]() {
      for (const terminal of terminals) await terminal[Symbol.asyncDispose]();
      await until("the engine has ended", () => processesWith(home.path).length === 0, 60_000);
      await provider[Symbol.asyncDispose]();
      home[Symbol.dispose]();
    },
  };
}

async function enter(terminal: Terminal, line: string): Promise<void> {
  await terminal.type(line);
  await terminal.press("Enter");
}

test(
  "[CTL-11 CTL-18 PERM-08] two terminals share a session: what is asked is asked in both, one answers, and the other continues when that one leaves",
  async () => {
    await using place = openPlace({
      script: [
        says("the first answer"),
        calls("Bash", { command: "touch made && echo made-it" }),
        says("it is there"),
        says("and on"),
      ],
    });
    const one = await place.open("--level ReadOnly");
    await one.shows(READY);
    await enter(one, "hello");
    await one.shows("the first answer");
    const none = await place.open("");
    await none.shows("or Enter >");
    await enter(none, "/quit");
    await none.shows("code 0");
    const two = await place.open("");
    await two.shows("or Enter >");
    await enter(two, "hello again");
    await two.shows("press Enter for a new one; /quit leaves.");
    await enter(two, "1");
    await two.shows("you asked:\n| hello");
    await two.shows("the first answer");

    await enter(two, "make it");
    await one.shows("asks:\n| make it");
    await one.shows(ASKS);
    await two.shows(ASKS);
    await enter(one, "1");
    await two.shows('allowed by "cinch line client" (human, …');
    await one.shows("it is there");
    await two.shows("it is there");
    expect(existsSync(join(place.work, "made"))).toBe(true);

    await enter(one, "/quit");
    await one.shows("code 0");
    await enter(two, "more");
    await two.shows("and on");
    await enter(two, "/quit");
    await two.shows("code 0");
  },
  TIMEOUT_MS,
);

test(
  "[CTL-11 SES-11] the sessions that run in another directory are not offered, and one that its person has left ends at once",
  async () => {
    await using place = openPlace({ script: [says("the first answer"), says("the second answer")] });
    const one = await place.open("");
    await one.shows(READY);
    await enter(one, "hello");
    await one.shows("the first answer");
    const elsewhere = join(place.work, "elsewhere");
    mkdirSync(elsewhere);
    const two = await place.open(`--cwd ${elsewhere}`);
    await two.shows(READY);
    await enter(two, "hello");
    await two.shows("the second answer");
    const three = await place.open("");
    await three.shows("1 or Enter >");
    expect(await three.screen()).not.toContain("elsewhere");
    await enter(three, "/quit");
    await three.shows("code 0");
    await enter(one, "/quit");
    await one.shows("code 0");
    const { stdout: listed } = await runCinch(["sessions", "list"], { home: place.home, cwd: place.work });
    expect(listed).not.toContain("running");
    const four = await place.open(""); // the engine runs still, for the terminal in the other directory
    await four.shows(READY);
    expect(await four.screen()).not.toContain("These sessions run already");
  },
  TIMEOUT_MS,
);

test(
  "[PROF-03 CTL-18 PERM-01 PROV-03] a rule that is written while an engine runs counts for the next session, and settings that need a new engine are reported",
  async () => {
    const read = calls("Read", { file_path: "a.txt" });
    await using place = openPlace({ script: [read, says("it was read"), read, says("it was refused")] });
    const { home, work } = place;
    writeFileSync(join(work, "a.txt"), "heron");
    const one = await place.open("");
    await one.shows(READY);
    await enter(one, "read it");
    await one.shows("it was read");
    const path = join(home.path, "config/cinch/config.toml");
    const other = `[providers.other]\nkind = "openai-compatible"\nbase_url = "${place.provider.url}/v1"\n`;
    writeFileSync(
      path,
      `${readFileSync(path, "utf8")}${other}api_key_env = "OTHER_KEY"\n[permissions]\ndeny = ["Read:a.txt"]\n`,
    );
    const two = await place.open("");
    await two.shows("or Enter >");
    await enter(two, "");
    await two.shows(
      "config.toml has changed since the engine that runs was started: what it says of providers",
    );
    await enter(two, "read it");
    await two.shows("it was refused");
    expect(JSON.stringify(place.provider.requests.at(-1)?.body)).toContain("forbids it");
    const three = await place.open("--model other:one", "OTHER_KEY=k");
    await three.shows("or Enter >");
    await enter(three, "");
    await three.shows("There is no provider 'other'.");
    await three.shows("config.toml has changed since the engine that runs was started");
    const four = await place.open("--model keyed:one", "KEYED_KEY=k");
    await four.shows("or Enter >");
    await enter(four, "");
    await four.shows("Set KEYED_KEY where the engine is started");
    await enter(one, "/quit");
    await enter(two, "/quit");
  },
  TIMEOUT_MS,
);

test(
  "[CTL-03 CTL-11] an engine that is killed is reported and restarted, and the session continues without loss",
  async () => {
    await using place = openPlace({ script: [says("the first answer"), says("the second answer")] });
    const one = await place.open("");
    await one.shows(READY);
    await enter(one, "hello");
    await one.shows("the first answer");
    signalIfRunning(await place.engine(), "SIGKILL");
    await one.shows("The engine has stopped: it is started again.");
    await one.shows("The engine answers again.");
    await one.shows("the session continues");
    await enter(one, "go on");
    await one.shows("the second answer");
    const screen = await one.screen();
    expect(screen.split("the first answer")).toHaveLength(2);
    await enter(one, "/quit");
    await one.shows("code 0");
  },
  TIMEOUT_MS,
);

test(
  "[CTL-11] [SES-07] cinch --continue continues with a session that another terminal has, with -p and from a pipe too, and --no-listen names the holder",
  async () => {
    const ordinals = ["first", "second", "third", "fourth"];
    await using place = openPlace({ script: ordinals.map((ordinal) => says(`the ${ordinal} answer`)) });
    const one = await place.open("");
    await one.shows(READY);
    await enter(one, "hello");
    await one.shows("the first answer");
    const two = await place.open("--continue");
    await two.shows("you asked:\n| hello");
    await enter(two, "me too");
    await one.shows("the second answer");

    const { home, work: cwd } = place;
    const prompt = await runCinch(["-p", "and me", "--continue"], { home, cwd });
    expect([prompt.code, prompt.stdout]).toEqual([0, "the third answer\n"]);
    await one.shows("asks:\n| and me");
    const piped = await runCinch(["--continue"], { home, cwd, stdin: "and I\n" });
    expect([piped.code, piped.stdout]).toEqual([0, expect.stringContaining("the fourth answer\n")]);
    await two.shows("the fourth answer");
    const held = await runCinch(["--no-listen", "--continue"], { home, cwd });
    expect([held.code, held.stderr]).toEqual([2, expect.stringContaining("in use by process")]);
  },
  TIMEOUT_MS,
);
