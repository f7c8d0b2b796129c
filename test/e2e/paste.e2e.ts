import { expect } from "bun:test";
import { existsSync, mkdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cinchHome } from "../support/cinch.ts";
import type { MockOptions } from "../support/mock-provider/mock-provider.ts";
import { startMockProvider } from "../support/mock-provider/mock-provider.ts";
import { calls, says } from "../support/mock-provider/turn.ts";
import { signalIfRunning } from "../support/processes.ts";
import { requireProgram } from "../support/requires.ts";
import { openTerminal } from "../support/terminal.ts";
import { until } from "../support/until.ts";

const test = requireProgram("tmux");
const READY = "/help lists commands\n>";
const LIST = "todo list:\n1\n2 apples\n";
const TIMEOUT_MS = 300_000;
const GUARDED_MS = 500;

for (const how of ["bracketed", "bare"] as const) {
  test(
    `[PERM-14] a ${how} paste answers no permission question, and its text waits for the next prompt`,
    async () => {
      await using rig = await openRig({ script: [calls("Bash", { command: "touch made" }), says("Over.")] });
      await rig.answer("make it", "1-4 >");
      await rig.terminal.paste(LIST, how);
      await rig.terminal.shows("A question takes no pasted text.");
      await rig.terminal.shows(/1-4 >$/);
      expect(existsSync(join(rig.work, "made"))).toBe(false);
      await rig.answer("4", "> [pasted text 1, 3 lines]");
      expect(await rig.terminal.screen()).toContain("denied by you");
      await rig.terminal.press("Enter");
      await rig.requests(3);
      expect(rig.lastText()).toBe("todo list:\n1\n2 apples");
      expect(existsSync(join(rig.work, "made"))).toBe(false);
    },
    TIMEOUT_MS,
  );
}

test(
  "[PERM-14] one pasted line with its end answers no permission question where the terminal marks no paste",
  async () => {
    await using rig = await openRig({ script: [calls("Bash", { command: "touch made" }), says("Over.")] });
    await rig.answer("make it", "1-4 >");
    await rig.terminal.shows(/1-4 >$/);
    await rig.terminal.paste("1\n", "bare");
    await rig.terminal.shows("arrived at once, as in a paste");
    await rig.terminal.shows(/1-4 >$/);
    expect(existsSync(join(rig.work, "made"))).toBe(false);
    await rig.answer("4", "denied by you");
  },
  TIMEOUT_MS,
);

test(
  "[PERM-14] a line that was entered or begun before the question is no answer to it",
  async () => {
    const { promise: hold, resolve: goOn } = Promise.withResolvers<void>();
    await using rig = await openRig({
      script: [{ ...calls("Bash", { command: "touch made" }), hold }, says("Over."), says("Two.")],
    });
    await rig.answer("make it", "make it");
    await rig.requests(1);
    await rig.answer("1", "waiting");
    await rig.terminal.type("y");
    await rig.terminal.shows(/^y$/m);
    goOn();
    await rig.terminal.shows("1-4 >");
    expect(await rig.terminal.screen()).toMatch(/1-4 >$/);
    await rig.terminal.press("Enter");
    await rig.terminal.shows("none of the answers");
    expect(existsSync(join(rig.work, "made"))).toBe(false);
    await rig.answer("4", "denied by you");
    await rig.requests(3);
    expect(rig.lastText()).toBe("1");
    await rig.terminal.shows(/> y$/);
  },
  TIMEOUT_MS,
);

test(
  "[TUI-01] pasted lines are one input, a pasted /quit is text, and Enter sends it",
  async () => {
    await using rig = await openRig({ script: [says("One."), says("Two.")] });
    await rig.terminal.paste("first\n/quit\n  third\n");
    await rig.terminal.shows("> [pasted text 1, 3 lines]");
    await rig.terminal.press("Enter");
    await rig.terminal.shows("One.");
    expect(rig.lastText()).toBe("first\n/quit\n  third");
    await rig.terminal.paste("/quit\n");
    await rig.terminal.shows("> //quit");
    await rig.terminal.press("Enter");
    await rig.terminal.shows("Two.");
    expect(rig.lastText()).toBe("/quit");
    expect(rig.mock.requests.length).toBe(2);
  },
  TIMEOUT_MS,
);

for (const [name, leave] of [
  ["/quit", (rig: Rig) => rig.answer("/quit", "code 0")],
  ["Ctrl-D", (rig: Rig) => rig.press("C-d", "code 0")],
  ["SIGTERM", (rig: Rig) => rig.signal("SIGTERM")],
  ["SIGTERM twice", (rig: Rig) => rig.signal("SIGTERM", "SIGTERM")],
] as const) {
  test(
    `[TUI-01] the shell gets its terminal back without bracketed paste after ${name}`,
    async () => {
      await using rig = await openRig({ script: [] });
      await leave(rig);
      await rig.terminal.shows("catting");
      await rig.terminal.paste("left over");
      await rig.terminal.shows("left over");
      expect(await rig.terminal.screen()).not.toContain("200~");
    },
    TIMEOUT_MS,
  );
}

for (const shell of ["bash", "script"] as const) {
  test(
    `[TUI-01] the terminal edits lines again, without bracketed paste, after kill -9 below a ${shell}`,
    async () => {
      await using rig = await openRig({ script: [] }, shell);
      await rig.signal("SIGKILL");
      await rig.terminal.shows("catting");
      let tries = 0;
      await until("a pasted line is a line", async () => {
        tries += 1;
        await rig.terminal.paste(`try ${tries}\n`);
        return /^try \d+\ntry \d+$/m.test(await rig.terminal.screen()); // echoed by the terminal, printed by cat
      });
    },
    TIMEOUT_MS,
  );
}

test(
  "[TUI-01] the next job of a shell keeps its terminal, in the very same raw mode, after kill -9",
  async () => {
    const next = `sh -c "stty $(cat raw); sleep 1; stty -g >after"; echo do""ne`;
    await using rig = await openRig({ script: [] }, "bash", next);
    const pid = readFileSync(join(rig.work, "pid"), "utf8").trim();
    const { stdout } = Bun.spawnSync(["stty", "-F", readlinkSync(`/proc/${pid}/fd/0`), "-g"]);
    writeFileSync(join(rig.work, "raw"), stdout);
    await rig.signal("SIGKILL");
    await rig.terminal.shows("done");
    expect(readFileSync(join(rig.work, "after"), "utf8")).toBe(stdout.toString());
  },
  TIMEOUT_MS,
);

type Rig = Awaited<ReturnType<typeof openRig>>;

/** @param shell an interactive one sets the terminal right by itself when a job is killed, a script does not. */
async function openRig(
  options: MockOptions,
  shell: "bash" | "script" = "bash",
  next = 'echo cat""ting; cat -v',
) {
  const mock = startMockProvider(options);
  const home = cinchHome();
  const work = join(home.path, "work");
  mkdirSync(work);
  mkdirSync(join(home.path, "config/cinch"));
  writeFileSync(
    join(home.path, "config/cinch/config.toml"),
    `[providers.mock]\nkind = "openai-compatible"\nbase_url = "${mock.url}/v1"\n`,
  );
  const terminal = await openTerminal({ home, cwd: work });
  writeFileSync(
    join(work, "cinch.sh"),
    'echo $$ >pid; exec "$CINCH" --plain --model mock:one --level ReadOnly\n',
  );
  const all = `clear; sh cinch.sh; echo code $?; ${next}`;
  await terminal.type(shell === "bash" ? all : `sh -c '${all}'`);
  await terminal.press("Enter");
  await terminal.shows(READY);
  const readyMs = performance.now();
  const rig = {
    mock,
    work,
    terminal,
    async press(key: string, shows: string) {
      await terminal.press(key);
      await terminal.shows(shows);
    },
    async answer(line: string, shows: string) {
      await terminal.type(line);
      await rig.press("Enter", shows);
    },
    async signal(...signals: readonly NodeJS.Signals[]) {
      const pid = Number(readFileSync(join(work, "pid"), "utf8"));
      if (signals.includes("SIGKILL")) await isGuarded(pid);
      for (const signal of signals) signalIfRunning(pid, signal); // the first one may have ended it already
      await terminal.shows("code ");
    },
    requests: (count: number) => mock.until(({ requests }) => requests.length >= count),
    /** The last text that the model was sent by a person. */
    lastText(): unknown {
      const messages = mock.requests.at(-1)?.body["messages"] as { role: string; content: unknown }[];
      const content = messages.findLast(({ role }) => role === "user")?.content;
      return Array.isArray(content) ? (content.at(-1) as { text: string }).text : content;
    },
    async [Symbol.asyncDispose]() {
      await terminal[Symbol.asyncDispose]();
      await mock[Symbol.asyncDispose]();
      home[Symbol.dispose]();
    },
  };
  return rig;

  /**
   * A terminal is guarded from 100 ms after the first screen on; the watchdog may be there for something else before.
   */
  async function isGuarded(pid: number): Promise<void> {
    await until("the watchdog guards the terminal", () => {
      const { exitCode } = Bun.spawnSync(["pgrep", "-P", String(pid), "-f", "cinch-watchdog"]);
      return exitCode === 0 && performance.now() - readyMs > GUARDED_MS;
    });
  }
}
