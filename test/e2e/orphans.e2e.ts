import { expect, test } from "bun:test";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runCinch, startCinch } from "../support/cinch.ts";
import type { MockHome } from "../support/mock-home.ts";
import { openMockHome } from "../support/mock-home.ts";
import { calls, says } from "../support/mock-provider/turn.ts";
import { noneWith, signalIfRunning, someWith } from "../support/processes.ts";
import { requireProgram } from "../support/requires.ts";
import { openServed } from "../support/served.ts";
import { openTerminal } from "../support/terminal.ts";
import { until } from "../support/until.ts";

const TIMEOUT_MS = 240_000;
const NO_SANDBOX = '[sandbox]\nbackend = "none"\n';

/** A place whose only run was killed in the middle of a command without a sandbox. */
async function killedPlace(command: string): Promise<MockHome> {
  const place = openMockHome([calls("Bash", { command }), says("going on"), says("still")], NO_SANDBOX);
  await using running = place.start(["-p", "go", "--auto-approve"]);
  await until("the command has begun", () => existsSync(join(place.work, "started")));
  signalIfRunning(running.pid, "SIGKILL");
  await running.exited;
  return place;
}

test(
  "[SES-03 PERM-12] a run that was killed in a mutating call is resumed only once somebody said what became of it",
  async () => {
    await using place = await killedPlace("touch started; sleep 600");
    const on = ["-p", "go on", "--continue"];
    for (const format of ["text", "json"]) {
      const halted = await place.run([...on, "--output-format", format]);
      expect([halted.code, halted.stderr]).toEqual([2, expect.stringContaining("--orphans done=NOTE")]);
      if (format === "json")
        expect(JSON.parse(halted.stdout)).toMatchObject({ error: { reason: "OrphanUnsettled" } });
    }
    expect(place.provider.requests).toHaveLength(1);

    const aborted = await place.run([...on, "--orphans", "abort"]);
    expect([aborted.code, aborted.stderr]).toEqual([130, expect.stringContaining("the prompt was not sent")]);
    expect(aborted.stderr).toContain("the next --continue or --resume asks again");
    expect(await place.run(on)).toMatchObject({ code: 2 });
    const done = await place.run([
      ...on,
      "--orphans",
      "done=the file is there",
      "--output-format",
      "stream-json",
    ]);
    expect(done.code).toBe(0);
    expect(JSON.stringify(place.provider.requests.at(-1))).toContain("The user's note: the file is there");
    const events = done.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const ended = events.findIndex(({ kind }) => kind === "TurnEnded");
    expect(events.slice(ended - 1, ended + 1)).toMatchObject([
      { kind: "Error", payload: { reason: "TurnInterrupted" } },
      { kind: "TurnEnded", payload: { turn: 1, reason: "error" } },
    ]);
    expect((await place.run(on)).code).toBe(0);
  },
  TIMEOUT_MS,
);

test(
  "[REL-03 SES-03] a command without a sandbox ends with the engine that is killed, also what has left its group",
  async () => {
    const own = `600.${Math.floor(Math.random() * 1e9)}`;
    const command = `setsid sleep ${own} & touch started; sleep ${own}; touch finished`;
    await using place = await killedPlace(command);
    await noneWith(own);
    expect(existsSync(join(place.work, "finished"))).toBe(false);
  },
  TIMEOUT_MS,
);

test(
  "[REL-03 SES-03] what outlives the engine and its watchdog is ended before the next run asks about it",
  async () => {
    const own = `600.${Math.floor(Math.random() * 1e9)}`;
    const unguarded = `for pid in $(cat /proc/$PPID/task/*/children); do case $(tr '\\0' ' ' </proc/$pid/cmdline) in *cinch-watch[d]og*) kill -9 $pid;; esac; done`;
    const command = `setsid sleep ${own} & ${unguarded}; touch started; sleep ${own}`;
    await using place = await killedPlace(command);
    await someWith(own);
    expect((await place.run(["-p", "go on", "--continue"])).code).toBe(2);
    await noneWith(own);
  },
  TIMEOUT_MS,
);

test(
  "[SES-03 PERM-12] --orphans settles a session that another engine has opened, and continues in that engine",
  async () => {
    const command = "touch started; sleep 600";
    const script = [calls("Bash", { command }), says("going on")];
    await using served = await openServed({ script, config: `default_model = "mock:one"\n${NO_SANDBOX}` });
    const place = { home: served.home, cwd: served.work, stdin: "" };
    await using running = startCinch(["-p", "go", "--auto-approve", "--own-engine"], place);
    await until("the command has begun", () => existsSync(join(served.work, "started")));
    signalIfRunning(running.pid, "SIGKILL");
    await running.exited;
    const { stdout } = await runCinch(["sessions", "list", "--json"], place);
    const [log = ""] = /log_\w+/.exec(stdout) ?? [];
    const token = await served.token("--identity-class", "human");
    const opened = await served.ask("/v1/sessions", token, { resume: log });
    expect([opened.status, await opened.text()]).toEqual([201, expect.stringContaining("sess_")]);
    const on = ["-p", "go on", "--resume", log];
    const done = await runCinch([...on, "--orphans", "done=the file is there"], place);
    expect([done.code, done.stdout]).toEqual([0, "going on\n"]);
    expect(JSON.stringify(served.provider.requests.at(-1))).toContain("The user's note: the file is there");
  },
  TIMEOUT_MS,
);

requireProgram("tmux")(
  "[SES-03 PERM-14] a person at a terminal is waited for: no time limit of questions decides about a call of a killed run",
  async () => {
    const quick = 'default_profile = "quick"\n[sandbox]\nbackend = "none"\n';
    const bash = (command: string) => calls("Bash", { command });
    const script = [bash("touch started; sleep 600"), bash("touch other"), says("over"), says("going on")];
    await using place = openMockHome(script, quick);
    mkdirSync(join(place.home.path, "config/cinch/profiles"));
    const profile =
      'name = "quick"\npermissions = { level = "ReadOnly" }\n[limits]\npermission_timeout = 1\n';
    writeFileSync(join(place.home.path, "config/cinch/profiles/quick.toml"), profile);
    await using running = place.start(["-p", "go", "--auto-approve", "--level", "DangerFullAccess"]);
    await until("the command has begun", () => existsSync(join(place.work, "started")));
    signalIfRunning(running.pid, "SIGKILL");
    await running.exited;

    const begin = async (words: string) => {
      const terminal = await openTerminal({ home: place.home, cwd: place.work });
      await terminal.type(`clear; "$CINCH" --plain ${words}`);
      await terminal.press("Enter");
      return terminal;
    };
    await using person = await begin("--continue");
    await person.shows(/answer >$/);
    // Meanwhile a question that has the limit of one second is begun and over.
    await using other = await begin("");
    await other.shows("1 or Enter >");
    await other.press("Enter");
    await other.shows("/help lists commands");
    await other.type("touch it");
    await other.press("Enter");
    await other.shows("not answered within 1s");
    expect(await person.screen()).toMatch(/note\nanswer >$/);
    await person.type("1");
    await person.press("Enter");
    await person.shows(/^>$/m);
    await person.type("and now");
    await person.press("Enter");
    await person.shows("going on");
    expect(JSON.stringify(place.provider.requests.at(-1))).toContain("The user says that it failed.");
  },
  TIMEOUT_MS,
);
