import { Database } from "bun:sqlite";
import { expect } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { MIGRATIONS } from "../../src/session/sqlite/schema/migrations.ts";
import { cinchHome, runCinch } from "../support/cinch.ts";
import type { MockHome } from "../support/mock-home.ts";
import { openMockHome } from "../support/mock-home.ts";
import { says } from "../support/mock-provider/turn.ts";
import { processesWith, signalIfRunning } from "../support/processes.ts";
import { openRecordedTerminal } from "../support/recorded-terminal.ts";
import { requireProgram } from "../support/requires.ts";
import type { Terminal } from "../support/terminal.ts";
import { openTerminal } from "../support/terminal.ts";
import { until } from "../support/until.ts";

const test = requireProgram("tmux");
const recorded = requireProgram("bash");
const TIMEOUT_MS = 300_000;
const SIZE = { columns: 100, rows: 24 };

async function enter(terminal: Terminal, line: string): Promise<void> {
  await terminal.type(line);
  await terminal.press("Enter");
}

async function startClient(terminal: Terminal, words = ""): Promise<void> {
  await enter(terminal, `clear; $CINCH ${words}`);
  await terminal.shows("no session yet");
}

/** Resolves once the engine of a home has ended by itself. */
function engineEnd({ home }: MockHome): AsyncDisposable {
  return {
    [Symbol.asyncDispose]: () =>
      until("the engine has ended", () => processesWith(home.path).length === 0, 60_000),
  };
}

/** Returns the first http address that a serving engine names. */
async function addressOf(stdout: AsyncIterable<string>): Promise<string> {
  let text = "";
  for await (const piece of stdout) {
    text += piece;
    const found = /http:\/\/127\.0\.0\.1:\d+/.exec(text)?.[0];
    if (found !== undefined) return found;
  }
  throw new Error(`the engine names no address: ${text}`);
}

test(
  "[CTL-17 CTL-11] the client works the same with an engine of its own, with the running one, and with one at an address",
  async () => {
    await using mock = openMockHome([says("from its own"), says("from the running one"), says("from there")]);
    const { home, work } = mock;
    {
      await using own = await openTerminal({ home, cwd: work, ...SIZE });
      await startClient(own, "--no-listen");
      await enter(own, "one");
      await own.shows("from its own");
      await own.press("C-c");
      await own.press("C-c");
      await own.shows("cinch --resume sess_");
    }
    await using serving = mock.start(["serve", "--until-idle", "--listen", "127.0.0.1:0"]);
    const url = await addressOf(serving.stdout);
    await using running = await openTerminal({ home, cwd: work, ...SIZE });
    await startClient(running);
    await enter(running, "two");
    await running.shows("from the running one");

    const made = await runCinch(["token", "--identity-class", "human"], { home, cwd: work });
    using away = cinchHome();
    const env = { ...away.env, CINCH_TOKEN: made.stdout.trim() };
    await using remote = await openTerminal({ home: { ...away, env }, cwd: away.path, ...SIZE });
    await startClient(remote, `--connect ${url}`);
    await enter(remote, "three");
    await remote.shows("from there");
    await remote.shows(/sess_…\w+ · default · mock:one · /);
  },
  TIMEOUT_MS,
);

test(
  "[CTL-18 TUI-09] the client that started the engine leaves, and the other one continues the same session; each sees for whom a turn runs",
  async () => {
    await using mock = openMockHome([
      says("the first answer"),
      says("word ".repeat(40), { paceMs: 200 }),
      says("and on"),
    ]);
    await using _ended = engineEnd(mock);
    const { home, work } = mock;
    await using one = await openTerminal({ home, cwd: work, ...SIZE });
    await startClient(one);
    await enter(one, "hello");
    await one.shows("the first answer");
    await using two = await openTerminal({ home, cwd: work, ...SIZE });
    await startClient(two);
    await two.shows('continues "hello"');
    await two.press("M-c");
    await two.shows("the first answer");
    await enter(one, "go on");
    await two.shows('· for "cinch terminal" (human, …');
    await one.shows("working");
    expect(await one.screen()).not.toContain("· for ");
    await one.press("C-c");
    await one.press("C-c");
    await one.shows("cinch --resume sess_");
    await one.prompts();
    await enter(two, "more");
    await two.shows("and on");
  },
  TIMEOUT_MS,
);

test(
  "[TUI-10 REL-02] an engine that dies is said above the draft until it answers again; the place and the draft are kept, and the next prompt is answered",
  async () => {
    await using mock = openMockHome([
      says(Array.from({ length: 60 }, (_, at) => `line ${at}`).join("\n\n")),
      says("after the crash"),
    ]);
    await using _ended = engineEnd(mock);
    const { home, work } = mock;
    await using terminal = await openTerminal({ home, cwd: work, ...SIZE });
    await startClient(terminal);
    await enter(terminal, "hello");
    await terminal.shows("line 59");
    await terminal.press("PageUp");
    await terminal.shows("line 45");
    await terminal.type("my draft");
    signalIfRunning(await engineOf(mock), "SIGKILL");
    await terminal.shows("▌ The engine has stopped: it is started again. What you type waits.");
    await terminal.shows("The engine answers again.");
    const screen = await terminal.screen();
    expect(screen).toContain("my draft");
    expect(screen).toContain("line 45");
    expect(screen).not.toContain("What you type waits");
    await terminal.press("C-u");
    await terminal.shows("▌ The engine was restarted: the session continues");
    await enter(terminal, "still there?");
    await terminal.shows("after the crash");
    await terminal.gone("The engine was restarted"); // the next turn has begun
  },
  TIMEOUT_MS,
);

/** Lines of a shell that fill the disk of the data folder when `fill` appears, and make room when `room` does. */
function onSmallDisk(data: string): string {
  const when = (name: string) => `until [ -e ${name} ]; do sleep 0.1; done`;
  const fill = `${when("fill")}; cat /dev/zero > ${data}/ballast; touch filled`;
  const room = `${when("room")}; rm ${data}/ballast; touch cleared`;
  return `mount -t tmpfs -o size=4m none ${data} && { { ${fill}; ${room}; } 2>/dev/null & } && $CINCH`;
}

const withMounts = requireProgram("tmux", "unshare");

withMounts(
  "[SES-16 SES-18 R15] a session that a full disk has ended continues in the same engine once there is room",
  async () => {
    await using mock = openMockHome([
      says("the first answer"),
      says("after the full disk"),
      says("and more"),
    ]);
    await using _ended = engineEnd(mock);
    const { home, work } = mock;
    const data = join(home.path, "data");
    mkdirSync(data, { recursive: true });
    const shown = (name: string) => until(`${name} is there`, () => existsSync(join(work, name)), 60_000);
    await using terminal = await openTerminal({ home, cwd: work, ...SIZE });
    writeFileSync(join(work, "small.sh"), onSmallDisk(data));
    await enter(terminal, "clear; unshare --mount --map-root-user sh small.sh");
    await terminal.shows("no session yet");
    await enter(terminal, "one");
    await terminal.shows("the first answer");
    writeFileSync(join(work, "fill"), "");
    await shown("filled");
    for (const _ of [1, 2]) {
      await enter(terminal, "lost?");
      await terminal.shows("cannot be written");
      await terminal.press("C-u");
    }
    writeFileSync(join(work, "room"), "");
    await shown("cleared");
    await enter(terminal, "is there room?");
    await terminal.shows(/after the full disk|and more/);
    expect(await terminal.screen()).toContain("the first answer");
  },
  TIMEOUT_MS,
);

test(
  "[TUI-10 REL-02] an engine that is killed under a stream leaves what was shown and the draft, says what may be missing, and answers the next prompt",
  async () => {
    const long = Array.from({ length: 400 }, (_, at) => `word${at}`).join("\n\n");
    await using mock = openMockHome([says(long, { paceMs: 25 }), says("after the crash")]);
    await using _ended = engineEnd(mock);
    const { home, work } = mock;
    await using terminal = await openTerminal({ home, cwd: work, ...SIZE });
    await startClient(terminal);
    const pid = engineOf(mock);
    await enter(terminal, "hello");
    await terminal.shows("word20");
    await terminal.type("my draft");
    await terminal.shows("> my draft");
    signalIfRunning(await pid, "SIGKILL");
    await terminal.shows("The engine was restarted");
    await terminal.shows("the engine was killed here: the last words before this may be missing");
    const screen = await terminal.screen();
    expect(screen).toMatch(/word\d/);
    expect(screen).toContain("> my draft");
    await terminal.press("Enter");
    await terminal.shows("after the crash");
    expect(await terminal.screen()).toContain("▌ my draft");
  },
  TIMEOUT_MS,
);

/** Returns the process id of the engine that serves a home. */
async function engineOf({ home, work }: MockHome): Promise<number> {
  const { stdout: token } = await runCinch(["token", "--identity-class", "human"], { home, cwd: work });
  const answer = await fetch("http://localhost/v1/runtime", {
    unix: join(home.path, "data/cinch/control.sock"),
    headers: { "X-Harness-Token": token.trim() },
  });
  return Number(Reflect.get(Object(await answer.json()), "pid"));
}

recorded(
  "[SES-02] a database of an older version is upgraded before the engine serves, and the client says so",
  async () => {
    await using mock = openMockHome([says("hello there")]);
    await using _ended = engineEnd(mock);
    const data = join(mock.home.path, "data/cinch");
    mkdirSync(data, { recursive: true });
    makeOlderDatabase(join(data, "sessions.db"));
    await using terminal = openRecordedTerminal(mock.home, mock.work);
    await terminal.writes("shell$ ");
    terminal.write('"$CINCH"\n');
    await terminal.writes("Database is upgrading…");
    await terminal.writes("no session yet");
    terminal.write("hello\r");
    await terminal.writes("hello there");
  },
  TIMEOUT_MS,
);

/** Makes an empty database with the schema of an earlier version. */
function makeOlderDatabase(path: string): void {
  using database = new Database(path);
  database.run("PRAGMA auto_vacuum = INCREMENTAL");
  database.run("PRAGMA journal_mode = WAL");
  database.run(
    "CREATE TABLE schema_migrations (version INTEGER PRIMARY KEY, applied_at TEXT NOT NULL, sha256 TEXT NOT NULL) STRICT",
  );
  for (const { version, sql } of MIGRATIONS.slice(0, 3)) {
    database.run(sql);
    const hash = new Bun.CryptoHasher("sha256").update(sql).digest("hex");
    database.run("INSERT INTO schema_migrations VALUES (?, ?, ?)", [version, "2026-01-01T00:00:00Z", hash]);
  }
}

test(
  "[TUI-10 bar First screen] an engine that cannot start is said above the draft, what is sent comes back, and the person can leave",
  async () => {
    await using mock = openMockHome([]);
    const { home, work } = mock;
    mkdirSync(join(home.path, "data"), { recursive: true });
    writeFileSync(join(home.path, "data/cinch"), "a file where the folder of the sessions belongs");
    await using terminal = await openTerminal({ home, cwd: work, ...SIZE });
    await enter(terminal, "clear; $CINCH");
    await terminal.shows(/Nothing\s(?:▌ )?can be sent here/);
    await terminal.shows("no engine");
    await enter(terminal, "my words");
    await terminal.shows(/> my words/);
    await terminal.press("C-c");
    await terminal.press("C-c");
    await terminal.shows(/Not sent, and kept nowhere else:\nmy words\n/);
    await terminal.prompts();
  },
  TIMEOUT_MS,
);

test(
  "[TUI-10 bar First screen] while the engine is slow to start, what is sent waits in sight; Escape brings it back, and leaving prints it",
  async () => {
    await using mock = openMockHome([says("heard after all")]);
    const { home, work } = mock;
    await using terminal = await openTerminal({ home, cwd: work, ...SIZE });
    const stopped = async () => {
      await enter(terminal, "clear; $CINCH");
      let engine: number | undefined;
      await until("the engine starts", () => {
        engine = startingEngine(home.path);
        return engine !== undefined;
      });
      return { [Symbol.dispose]: () => void (engine === undefined || signalIfRunning(engine, "SIGCONT")) };
    };
    {
      using _slow = await stopped();
      await terminal.shows("starting …");
      await enter(terminal, "first words");
      await terminal.shows("sending  1 first words");
      await terminal.press("Escape");
      await terminal.shows(/> first words/);
      await terminal.press("C-c");
      await terminal.press("C-c");
      await terminal.shows(/Not sent, and kept nowhere else:\nfirst words\n/);
      await terminal.prompts();
    }
    await until("the engine has ended", () => processesWith(home.path).length === 0, 60_000);
    {
      using _slow = await stopped();
      await terminal.shows("starting …");
      await enter(terminal, "second words");
      await terminal.shows("sending  1 second words");
    }
    await terminal.shows("heard after all");
  },
  TIMEOUT_MS,
);

/** Stops the engine that is starting for a home; returns its process id, or undefined before it is there. */
function startingEngine(home: string): number | undefined {
  const engine = processesWith(home).find((pid) =>
    readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("\0serve\0"),
  );
  if (engine !== undefined) signalIfRunning(engine, "SIGSTOP");
  return engine;
}
