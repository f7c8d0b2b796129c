import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseJson } from "../../src/base/json.ts";
import { cinchHome, runCinch, startCinch } from "../support/cinch.ts";
import { startMockProvider } from "../support/mock-provider/mock-provider.ts";
import { calls, says } from "../support/mock-provider/turn.ts";

/** Messages about a session store that has lost something without SQLite saying so (SES-18). */

const PAGE_BYTES = 4_096;
const CUT_SHORT =
  /is damaged: it is cut short: it has \d+ bytes, and \d+ of its \d+ pages are behind its end/u;

const EVENTS_GONE =
  /Missing from the log (log_\w+): events? (?:(\d+) to )?(\d+)\. They were written, and the store was damaged/u;
const WRITES_GONE = /Missing from the log (log_\w+): the last (?:write|\d+ writes), without an event\./u;
const LOG_GONE =
  /The log (log_\w+) with (\d+) events is missing from the session store: the store was damaged/u;

const DAMAGES: readonly (readonly [string, (wal: string) => void])[] = [
  ["cut in half", (wal) => truncateSync(wal, Math.floor(statSync(wal).size / 2))],
  ["with a byte flipped", flip],
  ["removed", (wal) => rmSync(wal)],
];

test.each(DAMAGES)(
  "[SES-18 SES-16 R14] a write-ahead log %s after a kill is reported by the next run, the list and the doctor",
  async (how, damage) => {
    await using rig = await openKilled();
    const wal = `${rig.store}-wal`;
    damage(wal);
    const doctor = await rig.cinch(["doctor"]);
    expect(doctor.code).toBe(1);
    const list = await rig.cinch(["sessions", "list", "--all"]);
    // A start that fails late shows no notice, and must not use it up.
    expect((await rig.cinch(["-p", "another", "--profile", "broken"])).stderr).toContain("UnknownSkillPack");
    const next = await rig.cinch(["-p", "another"]);
    // Without its write-ahead log the store has nothing of this session, or what a first sweep has written back.
    const kinds = how === "removed" ? [EVENTS_GONE, LOG_GONE, WRITES_GONE] : [EVENTS_GONE];
    const told = (text: string) => kinds.map((kind) => kind.exec(text)).find((found) => found !== null);
    const outputs = [doctor.stdout, list.stderr, next.stderr];
    const [first, ...others] = outputs.map((text) => told(text)?.slice(1));
    expect(first, outputs.join("\n")).toBeDefined();
    expect(others).toEqual([first, first]);
    // The piece of text that was shown last may not be written yet.
    if (first?.[1] !== undefined || first?.[2] !== undefined)
      expect([rig.events - 1, rig.events]).toContain(Number(first.at(-1)));
    const copy = `${wal}-damaged`;
    expect(existsSync(copy)).toBe(how === "with a byte flipped");
    if (existsSync(copy)) expect(next.stderr).toContain(`The damaged write-ahead log was copied to ${copy}.`);
    expect(next).toMatchObject({ code: 0, stdout: "done\n" });
    expect((await rig.cinch(["-p", "a third"])).stderr).toBe(""); // once is enough
  },
  300_000,
);

test("[SES-18 SES-16 R14] a database file cut short beside a write-ahead log is damage, and no run continues writing into it", async () => {
  await using rig = await openKilled();
  truncateSync(rig.store, statSync(rig.store).size - 4 * PAGE_BYTES);
  const before = [readFileSync(rig.store), readFileSync(`${rig.store}-wal`)];
  for (const args of [
    ["-p", "another"],
    ["sessions", "list"],
    ["sessions", "show", "last"],
  ]) {
    const { code, stdout, stderr } = await rig.cinch(args);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(CUT_SHORT);
    expect(stderr).not.toContain("Make room");
  }
  expect(await rig.cinch(["doctor"])).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(CUT_SHORT),
  });
  expect([readFileSync(rig.store), readFileSync(`${rig.store}-wal`)]).toEqual(before);
}, 300_000);

function flip(wal: string): void {
  const bytes = readFileSync(wal);
  const middle = Math.floor(bytes.length / 2);
  bytes[middle] = 1 ^ (bytes[middle] ?? 0);
  writeFileSync(wal, bytes);
}

/**
 * A store with one whole session, and one that was killed in the middle of a turn: all of it is in the write-ahead log.
 */
async function openKilled() {
  await using opened = new AsyncDisposableStack();
  const home = opened.use(cinchHome());
  const { promise: never } = Promise.withResolvers<void>();
  const script = [
    says("done"),
    calls("Bash", { command: "touch a" }),
    calls("Bash", { command: "touch b" }),
    says("held for ever", { hold: never }),
    says("done"),
    says("done"),
  ];
  const mock = opened.use(startMockProvider({ script }));
  const work = join(home.path, "work");
  mkdirSync(work);
  mkdirSync(join(home.path, "config/cinch"));
  const provider = `[providers.mock]\nkind = "openai-compatible"\nbase_url = "${mock.url}/v1"\n`;
  writeFileSync(join(home.path, "config/cinch/config.toml"), `default_model = "mock:one"\n${provider}`);
  mkdirSync(join(home.path, "config/cinch/profiles"));
  writeFileSync(join(home.path, "config/cinch/profiles/broken.toml"), 'skill_packs = ["nothing"]\n');
  const cinch = (args: readonly string[]) => runCinch(args, { home, cwd: work });
  expect(await cinch(["-p", "one"])).toMatchObject({ code: 0 });
  const args = ["-p", "two", "--auto-approve", "--output-format", "stream-json"];
  let events = 0;
  {
    await using child = startCinch(args, { home, cwd: work });
    child.closeStdin();
    let text = "";
    for await (const piece of child.stdout) {
      text += piece;
      if (/"kind":"TextDelta"/u.test(text)) break;
    }
    child.kill("SIGKILL");
    await child.exited;
    events = text.split("\n").filter((line) => parseJson(line) !== undefined).length;
  }
  const store = join(home.path, "data/cinch/sessions.db");
  const held = opened.move();
  return {
    store,
    cinch,
    /** Number of events that the killed run showed. */
    events,
    [Symbol.asyncDispose]: () => held[Symbol.asyncDispose](),
  };
}
