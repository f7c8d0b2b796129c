import { expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../test/support/source.ts";
import { temporaryDirectory } from "../../test/support/world.ts";
import type { LogLevel } from "../base/log.ts";
import { openLogFile } from "./log-file.ts";

const NOON = Date.parse("2026-03-01T12:00:00.000Z");
const DAY_MS = 86_400_000;

function open(directory: string, levels: Readonly<Record<string, LogLevel>> = {}) {
  let now = NOON;
  const log = openLogFile({
    directory,
    toStderr: false,
    now: () => now,
    levels: new Map(Object.entries(levels)),
  });
  return {
    log,
    nextDay() {
      now += DAY_MS;
    },
  };
}

function lines(file: string): readonly unknown[] {
  return readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

test("[LOG-01] the log holds one JSON object a line with time, level, component, message and fields", async () => {
  await using folder = temporaryDirectory();
  const { log } = open(folder.path);
  log.write("info", "started", { port: 1 });
  log.for("provider.zai").write("warn", "two\nlines", { level: "forged", msg: "forged" });
  expect(lines(join(folder.path, "harness-20260301.log"))).toEqual([
    { port: 1, ts: "2026-03-01T12:00:00.000Z", level: "info", component: "cinch", msg: "started" },
    { ts: "2026-03-01T12:00:00.000Z", level: "warn", component: "provider.zai", msg: "two\nlines" },
  ]);
});

test("[LOG-01] every day has a file of its own, which only its owner can read", async () => {
  await using folder = temporaryDirectory();
  const directory = join(folder.path, "state", "log");
  const { log, nextDay } = open(directory);
  expect(readdirSync(folder.path)).toEqual([]);
  log.write("info", "one");
  nextDay();
  log.write("info", "two");
  expect(readdirSync(directory).sort()).toEqual(["harness-20260301.log", "harness-20260302.log"]);
  expect(statSync(directory).mode & 0o777).toBe(0o700);
  expect(statSync(join(directory, "harness-20260302.log")).mode & 0o777).toBe(0o600);
});

test("[LOG-01] levels go by component, the nearest name deciding", async () => {
  await using folder = temporaryDirectory();
  const { log } = open(folder.path, { "": "error", provider: "warn", "provider.copilot": "trace" });
  for (const component of ["engine", "provider.zai", "provider.copilot", "provider.copilot.token"]) {
    for (const level of ["trace", "warn", "error"] as const) log.for(component).write(level, "x");
  }
  const written = lines(join(folder.path, "harness-20260301.log")) as { component: string; level: string }[];
  expect(written.map(({ component, level }) => `${component} ${level}`)).toEqual([
    "engine error",
    "provider.zai warn",
    "provider.zai error",
    ...["provider.copilot trace", "provider.copilot warn", "provider.copilot error"],
    ...["provider.copilot.token trace", "provider.copilot.token warn", "provider.copilot.token error"],
  ]);
});

test("[LOG-01] debug and trace are left out by default", async () => {
  await using folder = temporaryDirectory();
  const { log } = open(folder.path);
  for (const level of ["trace", "debug", "info"] as const) log.write(level, level);
  expect(lines(join(folder.path, "harness-20260301.log"))).toHaveLength(1);
});

test("[LOG-01] a log that cannot be written is reported once and ends nothing; --log-to-stderr shows every line", async () => {
  await using folder = temporaryDirectory();
  const taken = join(folder.path, "taken");
  writeFileSync(taken, "a file where a folder should be");
  const program = `
    import { openLogFile } from ${JSON.stringify(join(ROOT, "src/platform/log-file.ts"))};
    const at = { directory: ${JSON.stringify(taken)}, now: () => ${NOON}, levels: new Map() };
    const quiet = openLogFile({ ...at, toStderr: false });
    quiet.write("info", "one");
    quiet.write("info", "two");
    openLogFile({ toStderr: true, now: at.now, levels: new Map() }).write("info", "three");`;
  const { exitCode, stderr, stdout } = Bun.spawnSync([process.execPath, "-e", program], { cwd: folder.path });
  const told = stderr.toString().trimEnd().split("\n");
  expect({ exitCode, stdout: stdout.toString(), lines: told.length }).toEqual({
    exitCode: 0,
    stdout: "",
    lines: 2,
  });
  expect(told[0]).toMatch(
    /^cinch: the log .*harness-20260301\.log cannot be written \(.*\); going on without it$/,
  );
  expect(JSON.parse(told[1] ?? "")).toMatchObject({ msg: "three" });
});
