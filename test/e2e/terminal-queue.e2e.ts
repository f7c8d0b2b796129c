import { expect } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openMockHome } from "../support/mock-home.ts";
import { says } from "../support/mock-provider/turn.ts";
import { signalIfRunning } from "../support/processes.ts";
import { requireProgram } from "../support/requires.ts";
import type { Terminal } from "../support/terminal.ts";
import { openTerminal } from "../support/terminal.ts";
import { until } from "../support/until.ts";

const test = requireProgram("tmux");
const TIMEOUT_MS = 300_000;
const SIZE = { columns: 80, rows: 24 };

async function openClient(terminal: Terminal, flags = ""): Promise<void> {
  await terminal.type(`sh -c 'echo $$ >pid; exec "$CINCH" ${flags}'`);
  await terminal.press("Enter");
  await terminal.shows(/\n>/);
}

async function send(terminal: Terminal, text: string): Promise<void> {
  await terminal.type(text);
  await terminal.press("Enter");
}

/** Returns the prompts that the model got, in order: the newest of each request. */
function prompts(requests: readonly { readonly body: unknown }[]): readonly string[] {
  return requests.map(({ body }) => {
    const { messages = [] } = body as { readonly messages?: readonly { readonly content: unknown }[] };
    return JSON.stringify(messages.at(-1)?.content);
  });
}

test(
  "[ENG-26 TUI-08 bar Queue] waiting messages are shown, moved, edited in their place and withdrawn, and run in that order",
  async () => {
    const go = Promise.withResolvers<void>();
    await using mock = openMockHome([
      says("a first answer that takes its time", { hold: go.promise }),
      says("second answer"),
      says("third answer"),
    ]);
    await using terminal = await openTerminal({ home: mock.home, cwd: mock.work, ...SIZE });
    await openClient(terminal);
    await send(terminal, "begin");
    await terminal.shows("working");
    await send(terminal, "apple");
    await terminal.shows(/^queued +1 apple$/m);
    await send(terminal, "berry");
    await terminal.shows(/^queued +2 berry$/m);
    await send(terminal, "cherry");
    await terminal.shows(/^queued +3 cherry$/m);
    await terminal.press("Up");
    await terminal.shows("Waiting messages: 3 of 3");
    await terminal.press("M-Up");
    await terminal.shows(/▸ queued +2 cherry\n {2}queued +3 berry/);
    await terminal.press("Down", "DC");
    await terminal.shows("Waiting messages: 2 of 2");
    await terminal.press("Up", "Enter");
    await terminal.shows(/\n> apple\n/);
    await terminal.shows(/^queued +1 cherry$/m);
    await terminal.type(" pie");
    await terminal.press("Enter");
    await terminal.shows(/^queued +1 apple pie\nqueued +2 cherry$/m);
    await terminal.press("C-r");
    await terminal.shows("berry");
    await terminal.press("Escape");
    go.resolve();
    await terminal.shows("third answer");
    await until("all ran", () => mock.provider.requests.filter(({ path }) => /chat/.test(path)).length === 3);
    expect(prompts(mock.provider.requests.filter(({ path }) => /chat/.test(path)))).toEqual([
      '"begin"',
      '"apple pie"',
      '"cherry"',
    ]);
  },
  TIMEOUT_MS,
);

test(
  "[ENG-26 TUI-08 bar Queue] a queued message is sent into the running turn, and one that has started is not edited",
  async () => {
    const go = Promise.withResolvers<void>();
    await using mock = openMockHome([
      says("a first answer that takes its time", { hold: go.promise }),
      says("steered answer"),
    ]);
    await using terminal = await openTerminal({ home: mock.home, cwd: mock.work, ...SIZE });
    await openClient(terminal);
    await send(terminal, "begin");
    await terminal.shows("working");
    await send(terminal, "hurry up");
    await terminal.shows(/^queued +1 hurry up$/m);
    await terminal.press("M-q");
    await terminal.shows("Waiting messages: 1 of 1");
    await terminal.press("M-s");
    await terminal.shows(/steering +1 hurry up/);
    await terminal.type("x");
    await terminal.shows(/\n> x\n/);
    await terminal.shows(/^steering +1 hurry up$/m);
    go.resolve();
    await terminal.shows("steered answer");
    expect(await terminal.screen()).not.toContain("steering");
    await terminal.press("M-q");
    await terminal.shows("Nothing is waiting.");
  },
  TIMEOUT_MS,
);

test(
  "[ENG-26 TUI-03 bar Cancel bar Queue] a cancel returns waiting messages to the draft, before what is in it, and nothing starts by itself",
  async () => {
    const never = Promise.withResolvers<void>();
    await using mock = openMockHome([
      says("a first answer that takes its time", { hold: never.promise }),
      says("later answer"),
    ]);
    await using terminal = await openTerminal({ home: mock.home, cwd: mock.work, ...SIZE });
    await openClient(terminal);
    await send(terminal, "begin");
    await terminal.shows("working");
    await send(terminal, "second thing");
    await terminal.shows(/^queued +1 second thing$/m);
    await send(terminal, "third thing");
    await terminal.shows(/^queued +2 third thing$/m);
    await terminal.type("half a thought");
    await terminal.press("Escape");
    await terminal.shows("cancelled");
    await terminal.shows(/\n> second thing\n {2}third thing\n {2}half a thought\n/);
    expect(await terminal.screen()).not.toContain("queued");
    expect(mock.provider.requests.filter(({ path }) => /chat/.test(path))).toHaveLength(1);
    await terminal.type("!");
    await terminal.press("Enter");
    await terminal.shows("later answer");
    expect(prompts(mock.provider.requests).at(-1)).toBe('"second thing\\nthird thing\\nhalf a thought!"');
    never.resolve();
  },
  TIMEOUT_MS,
);

test(
  "[ENG-26 TUI-10 bar Queue] the queue survives kill -9 of the client; what a refusal holds is shown, and Enter starts it",
  async () => {
    const go = Promise.withResolvers<void>();
    await using mock = openMockHome([
      says("a first answer that takes its time", { hold: go.promise, finish: "refused" }),
      says("answer of the second"),
    ]);
    await using terminal = await openTerminal({ home: mock.home, cwd: mock.work, ...SIZE });
    await openClient(terminal);
    await send(terminal, "begin");
    await terminal.shows("working");
    await send(terminal, "do this later");
    await terminal.shows(/^queued +1 do this later$/m);
    signalIfRunning(Number(readFileSync(join(mock.work, "pid"), "utf8")), "SIGKILL");
    await terminal.promptsAgain();
    await openClient(terminal, "-c");
    await terminal.shows(/^queued +1 do this later · "cinch terminal"/m);
    go.resolve();
    await terminal.shows(/^held +1 do this later/m);
    await terminal.shows("enter starts what is held");
    await terminal.press("Enter");
    await terminal.shows("answer of the second");
    expect(await terminal.screen()).not.toMatch(/^held/m);
  },
  TIMEOUT_MS,
);
