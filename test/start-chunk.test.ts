import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { lazyImportsOf, START_IMPORTS, startImporters } from "../scripts/start-chunk.ts";
import { openMockHome } from "./support/mock-home.ts";
import { calls, says } from "./support/mock-provider/turn.ts";
import { ROOT } from "./support/source.ts";
import { until } from "./support/until.ts";

/** Runs cinch from source; every file of `src` that it loads is written to a report. */
function reportingCommand(...words: readonly string[]): string[] {
  const flags = [
    "--no-install",
    "--no-env-file",
    "--config=/dev/null",
    `--tsconfig-override=${ROOT}/tsconfig.json`,
  ];
  const preload = ["--preload", join(ROOT, "test/support/loaded-modules.ts")];
  return [process.execPath, ...flags, ...preload, join(ROOT, "src/cli/main.ts"), ...words];
}

test("[PERF-01] the chunk of the start has what a plain -p imports dynamically, and nothing else", async () => {
  await using place = openMockHome(
    [calls("Read", { file_path: "note.txt", limit: 10 }), says("It has one line."), says("Done.")],
    // It is tried beside the first answer, if the answer takes long enough.
    '[sandbox]\nbackend = "none"\n',
  );
  writeFileSync(join(place.work, "note.txt"), "one line\n");
  const report = join(place.home.path, "loaded");
  const loaded = new Set<string>();
  // The first run makes the home; every later one finds it.
  for (const prompt of ["read the note", "go on"]) {
    const child = Bun.spawn(reportingCommand("-p", prompt), {
      cwd: place.work,
      env: { PATH: process.env["PATH"], TERM: "dumb", LOADED_MODULES: report, ...place.home.env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    expect(await child.exited, await new Response(child.stderr).text()).toBe(0);
    for (const file of readFileSync(report, "utf8").trim().split("\n")) loaded.add(file);
  }
  const imported = lazyImportsOf(ROOT, [...loaded]).filter((file) => loaded.has(file));
  expect(imported.sort()).toEqual([...START_IMPORTS].sort());
}, 60_000);

test("[PERF-01] the terminal client loads none of the start of an engine", async () => {
  await using place = openMockHome([says("It is done.")]);
  const report = join(place.home.path, "loaded");
  writeFileSync(report, "");
  let screen = "";
  const decoder = new TextDecoder();
  const child = Bun.spawn(reportingCommand(), {
    cwd: place.work,
    env: { PATH: process.env["PATH"], TERM: "xterm-256color", LOADED_MODULES: report, ...place.home.env },
    terminal: {
      cols: 100,
      rows: 30,
      data(_, bytes) {
        screen += decoder.decode(bytes, { stream: true });
      },
    },
  });
  const { terminal } = child;
  try {
    await until("the first frame", () => screen.includes("type to begin"));
    terminal?.write("hello");
    await until("the draft", () => screen.includes("hello"));
    const loaded = readFileSync(report, "utf8").trim().split("\n");
    expect(loaded).toContain("src/cli/commands/line/full-screen.ts");
    const importers = startImporters(ROOT);
    expect(loaded.filter((file) => importers.has(file))).toEqual([]);
  } finally {
    child.kill("SIGTERM");
    await child.exited;
    terminal?.close();
  }
}, 60_000);
