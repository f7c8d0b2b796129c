import { expect } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openMockHome } from "../support/mock-home.ts";
import { calls, fails, says } from "../support/mock-provider/turn.ts";
import { requireProgram } from "../support/requires.ts";
import { openTerminal } from "../support/terminal.ts";
import { sendPrompt, startClient } from "../support/terminal-client.ts";

const test = requireProgram("tmux");
const TIMEOUT_MS = 300_000;
const PRICES = '[prices."mock:one"]\ninput = 1000\noutput = 5000\ncache_read = 100\n';

for (const [columns, rows] of [
  [120, 40],
  [60, 24],
  [40, 15],
] as const)
  test(
    `[TUI-06 bar Model picker] a model is found by a few letters, with price and effort, marked, used and cycled, on ${columns} columns`,
    async () => {
      await using mock = openMockHome([says("from the first"), says("from the second")], PRICES, [
        "one",
        "two",
      ]);
      await using terminal = await openTerminal({ home: mock.home, cwd: mock.work, columns, rows });
      await startClient(terminal);
      await sendPrompt(terminal, "go");
      await terminal.shows("from the first");
      await terminal.press("M-m");
      await terminal.shows(/▸ ● mock:one/);
      await terminal.shows("effort: as configured");
      if (columns >= 60) await terminal.shows(/mock:one +in use.* 1000 +5000/);
      await terminal.press("C-f");
      await terminal.type("mktw");
      await terminal.shows(/▸ {3}mock:two/);
      await terminal.press("Right", "Right");
      await terminal.shows("effort: low");
      await terminal.press("C-f");
      await terminal.shows(/▸ ★ mock:two/);
      await terminal.press("Enter");
      await terminal.shows("mock:two, effort low");
      await sendPrompt(terminal, "more");
      await terminal.shows("from the second");
      expect(mock.provider.requests.at(-1)).toMatchObject({ body: { model: "two" } });
      await terminal.press("M-j");
      await terminal.shows(/mock:one, effort low/);
    },
    TIMEOUT_MS,
  );

test(
  "[TUI-06 bar Model picker] another model is chosen while the session waits to try again",
  async () => {
    const busy = fails({ kind: "status", status: 429, headers: { "retry-after": "2" } });
    await using mock = openMockHome([busy, says("at last")], "", ["one", "two"]);
    await using terminal = await openTerminal({ home: mock.home, cwd: mock.work, columns: 100, rows: 30 });
    await startClient(terminal);
    await sendPrompt(terminal, "go");
    await terminal.shows(/429|rate|again/i);
    await terminal.shows(/working \d+ s · retrying in \d s/);
    await terminal.press("M-m");
    await terminal.shows(/▸ ● mock:one/);
    await terminal.type("two");
    await terminal.shows(/▸ {3}mock:two/);
    await terminal.press("Enter");
    await terminal.shows("mock:two from the next request");
    await terminal.shows("at last");
  },
  TIMEOUT_MS,
);

test(
  "[TUI-06] costs are tables by turn, model, agent and what was read, and cache misses by their cause",
  async () => {
    const usage = (cacheRead: number) => ({ usage: { input: 100, output: 20, cacheRead } });
    await using mock = openMockHome(
      [
        calls("Bash", { command: "true" }, usage(5_000)),
        says("did it", usage(5_000)),
        says("done again", usage(0)),
      ],
      `${PRICES}[permissions]\nallow = ["Bash:*"]\n`,
    );
    await using terminal = await openTerminal({ home: mock.home, cwd: mock.work, columns: 100, rows: 30 });
    await startClient(terminal);
    await sendPrompt(terminal, "do it");
    await terminal.shows("did it");
    await sendPrompt(terminal, "again");
    await terminal.shows("done again");
    await terminal.press("M-v");
    await terminal.shows(/by turn · \$\d+\.\d+ this session · 3 calls/);
    await terminal.shows(/▸ turn 2: again +\$/);
    await terminal.shows(/ {2}turn 1: do it +\$/);
    await terminal.press("Tab");
    await terminal.shows(/▸ mock:one +\$/);
    await terminal.press("Tab");
    await terminal.shows(/▸ the session itself/);
    await terminal.press("Tab");
    await terminal.shows("results of Bash");
    await terminal.press("Tab");
    await terminal.shows("cache misses");
    await terminal.press("Escape");
    await terminal.shows("done again");
  },
  TIMEOUT_MS,
);

for (const inPlace of [false, true])
  test(
    `[CTL-11 TUI-06] the profile is changed with its consequences said: ${inPlace ? "in place" : "in a new session, which the client shows"}`,
    async () => {
      await using mock = openMockHome([says("first answer"), says("second answer")]);
      const folder = join(mock.home.path, "config/cinch/profiles");
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, "careful.toml"), '[permissions]\ndeny = ["Bash"]\n');
      await using terminal = await openTerminal({ home: mock.home, cwd: mock.work, columns: 100, rows: 30 });
      await startClient(terminal);
      await sendPrompt(terminal, "go");
      await terminal.shows("first answer");
      await terminal.press("M-p");
      await terminal.shows("Profile");
      await terminal.type("careful");
      await terminal.shows(/▸ {3}careful/);
      await terminal.shows("deny Bash");
      await terminal.press("Enter");
      await terminal.shows("New session, with the last turn");
      await terminal.shows("This session is paused: the list of sessions continues it.");
      if (inPlace) {
        await terminal.press("Down", "Down");
        await terminal.shows("the model may be incoherent");
      }
      await terminal.press("Enter");
      await terminal.shows(inPlace ? "profile: default → careful" : "Now in a new session under careful");
      await sendPrompt(terminal, "more");
      await terminal.shows("second answer");
      expect((await terminal.screen()).includes("first answer")).toBe(inPlace);
      const { stdout } = await mock.run(["sessions", "list"]);
      expect(stdout.match(/sess_/g)).toHaveLength(inPlace ? 1 : 2);
    },
    TIMEOUT_MS,
  );
