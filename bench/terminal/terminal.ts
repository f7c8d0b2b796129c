import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { storedSessions } from "../queries/stored-sessions.ts";
import type { Row } from "../report.ts";
import { openServer } from "../server.ts";
import { sampled } from "../statistics.ts";
import type { BenchSetup, Home, Program } from "../subject.ts";
import { makeHome } from "../subject.ts";
import { saysEvents } from "../wire.ts";
import { openLongScreen } from "./long-screen.ts";
import type { TtyFigures } from "./tty-figures.ts";
import { ttyFigures } from "./tty-figures.ts";

const RUNS = 5;
const NOBODY = "http://127.0.0.1:9";
const START = ["--idle", "0", "--settle", "0.5"];
const STORED = { sessions: 1_000, events: 200 } as const;
const FILES = 50_000;
const FOLDERS = 500;
const FILL_LINES = 3_000;
const DELTAS_PER_SECOND = 200;
const LONG_LINES = 100_000;
const PAGES = 60;
const CANCELS = 20;
const ESCAPE = "\u001b";
/** A stream that nobody cancels ends by then. */
const STREAM_S_MAX = 30;
const SETTLE_MS = 3_000;
/** Two calls are on the screen. */
const FULL = /(?:●[\s\S]*){2}/;
/** The first message is long, and the end of it names itself. */
const END = "FILLDONE";

/** Measures the terminal client beside the least program on its library, and a program that only echoes. Linux only. */
export async function measureTerminal(place: BenchSetup): Promise<readonly Row[]> {
  if (Bun.which("python3") === null) {
    console.error("bench: the terminal client is measured with python3, which is not installed");
    return [];
  }
  const minimal = await compiledMinimal(place);
  return [
    ...(await measureFirstKeys(place, minimal)),
    ...(await measureIdle(place, minimal)),
    ...(await measureStream(place, minimal)),
    ...(await measureCancel(place)),
    ...(await measureLines(place)),
    ...(await measureLongLog(place)),
  ];
}

function cinch(place: BenchSetup): Program {
  return [...place.cinch, "--model", "bench:bench-model"];
}

async function compiledMinimal(place: BenchSetup): Promise<string> {
  const outfile = join(place.scratch, "minimal");
  await Bun.build({
    entrypoints: [join(place.root, "bench/terminal/minimal.ts")],
    format: "esm",
    minify: true,
    bytecode: true,
    compile: { outfile, autoloadDotenv: false, autoloadBunfig: false },
  });
  return outfile;
}

function pointed(home: Home, baseUrl = NOBODY): Home {
  home.point(baseUrl);
  return home;
}

/** Returns a home whose project has many files. */
function homeWithFiles(place: BenchSetup): Home {
  const home = pointed(makeHome(place));
  for (let folder = 0; folder < FOLDERS; folder += 1) {
    const path = join(home.path, `project/folder${folder}`);
    mkdirSync(path);
    for (let file = 0; file < FILES / FOLDERS; file += 1) writeFileSync(join(path, `file${file}.ts`), "");
  }
  return home;
}

async function homeWithSessions(
  place: BenchSetup,
  longEvents: number,
): Promise<Home & { readonly long: string }> {
  const { stored, path } = await storedSessions(place, { ...STORED, longEvents });
  const home = path.slice(0, path.indexOf("/.local/"));
  return { path: home, env: {}, point: () => undefined, long: stored.long.session };
}

async function measureFirstKeys(place: BenchSetup, minimal: string): Promise<readonly Row[]> {
  const homes = {
    "": pointed(makeHome(place)),
    ", 1,000 stored sessions": await homeWithSessions(place, longEvents(place)),
    ", in a folder of 50,000 files": homeWithFiles(place),
  };
  const bare: TtyFigures[] = [];
  const own = new Map<string, TtyFigures[]>(Object.keys(homes).map((name) => [name, []]));
  for (let run = 0; run <= runsOf(place); run += 1) {
    const home = homes[""];
    const alone = await ttyFigures(place, { program: [minimal, NOBODY], home, options: START });
    if (run > 0) bare.push(alone);
    for (const [name, each] of Object.entries(homes)) {
      const figures = await ttyFigures(place, { program: cinch(place), home: each, options: START });
      if (run > 0) own.get(name)?.push(figures); // the first run reads the program from the disk
    }
  }
  return [...own].flatMap(([name, figures]) => [
    row(`first frame${name}`, "ms", figures, ({ first_frame_ms: ms }) => ms, { bare, aim: 1.3 }),
    row(`first key on the screen${name}`, "ms", figures, ({ first_echo_ms: ms }) => ms, { bare, aim: 1.3 }),
  ]);
}

async function measureIdle(place: BenchSetup, minimal: string): Promise<readonly Row[]> {
  const options = ["--settle", place.quick ? "10" : "45", "--idle", place.quick ? "5" : "20"];
  const home = pointed(makeHome(place));
  const bare = [await ttyFigures(place, { program: [minimal, NOBODY], home, options })];
  const tree = [await ttyFigures(place, { program: cinch(place), home, options })];
  return [
    row("idle: bytes written", "", tree, ({ idle_bytes: bytes }) => bytes, { aim: 0 }),
    row("idle: wake-ups, all processes", "/s", tree, ({ idle_wakeups_s: count }) => count, {
      bare,
      aim: 8,
      comparison: "alone",
    }),
    row("idle: memory of all processes (PSS)", "MiB", tree, ({ idle_pss_mb: mib }) => mib, {
      bare,
      aim: 110,
      comparison: "alone",
    }),
    row("idle: memory of the client (PSS)", "MiB", tree, ({ idle_client_pss_mb: mib }) => mib, {
      bare,
      aim: 70,
      comparison: "alone",
    }),
  ];
}

async function measureStream(place: BenchSetup, minimal: string): Promise<readonly Row[]> {
  const seconds = place.quick ? 5 : 10;
  const deltas = Array.from({ length: DELTAS_PER_SECOND * (seconds + 2) }, (_, at) =>
    at % 12 === 11 ? `w${at}.\n\n` : `word${at} and `,
  );
  const lines = Array.from({ length: FILL_LINES }, (_, at) => `This is line ${at} of a long message.\n\n`);
  const events = [saysEvents([...lines, END], 1), saysEvents(deltas, 2)];
  const measured = async (program: (baseUrl: string) => Program, home: Home) => {
    using server = openServer({
      answer: (number) =>
        number === 1
          ? { kind: "events", events: events[0] ?? [] }
          : { kind: "paced", events: events[1] ?? [], everyMs: 1_000 / DELTAS_PER_SECOND },
    });
    const options = ["--idle", "0", "--settle", "1", "--fill", "fill", "--fill-marker", END];
    const stream = ["--stream", "stream", "--stream-s", String(seconds)];
    home.point(server.baseUrl);
    return await ttyFigures(place, {
      program: program(server.baseUrl),
      home,
      options: [...options, ...stream],
    });
  };
  const own: TtyFigures[] = [];
  const bare: TtyFigures[] = [];
  const echo: TtyFigures[] = [];
  for (let run = 0; run < runsOf(place); run += 1) {
    own.push(await measured(() => cinch(place), makeHome(place)));
    bare.push(await measured((baseUrl) => [minimal, baseUrl], makeHome(place)));
    const home = makeHome(place);
    const options = ["--idle", "0", "--settle", "0", "--stream-s", "5", "--cat-echo"];
    echo.push(await ttyFigures(place, { program: ["cat"], home, options }));
  }
  const what = `${DELTAS_PER_SECOND} deltas a second behind ${FILL_LINES.toLocaleString("en")} lines`;
  return [
    row(`${what}: processor time, all processes`, "ms/s", own, (each) => each.stream_cpu_ms_per_s, {
      bare,
      aim: 250,
      comparison: "alone",
    }),
    row(`${what}: processor time of the client`, "ms/s", own, (each) => each.stream_client_cpu_ms_per_s, {
      bare,
      aim: 130,
      comparison: "alone",
    }),
    row(`${what}: key to screen, median, above an echo`, "ms", own, (each) => each.key_p50_ms, {
      bare: echo,
      comparison: "difference",
      aim: 3,
    }),
    row(`${what}: key to screen, 99 %, above an echo`, "ms", own, (each) => each.key_p99_ms, {
      bare: echo,
      comparison: "difference",
      aim: 10,
    }),
    row(`${what}: keys never seen`, "", own, (each) => each.keys_unseen, { aim: 0 }),
    row(
      `${what}: frames that erase a row that stays, without synchronized output`,
      "",
      own,
      (each) => each.flicker_ignored,
      {
        aim: 0,
      },
    ),
    row(`${what}: rows that vanish and return, with it`, "", own, (each) => each.flicker_honoured, {
      aim: 0,
    }),
    row(`${what}: bytes a second`, "", own, (each) => each.stream_bytes_s, { bare, comparison: "ratio" }),
    row("memory of all processes after the stream (PSS)", "MiB", own, (each) => each.after_pss_mb, {
      bare,
      aim: 130,
      comparison: "alone",
    }),
  ];
}

/** Escape under a fast stream behind a long message: from the key to the word that says that the turn has ended. */
async function measureCancel(place: BenchSetup): Promise<readonly Row[]> {
  const lines = Array.from({ length: FILL_LINES }, (_, at) => `This is line ${at} of a long message.\n\n`);
  const deltas = Array.from({ length: DELTAS_PER_SECOND * STREAM_S_MAX }, (_, at) =>
    at % 12 === 11 ? `w${at}.\n\n` : `word${at} and `,
  );
  using server = openServer({
    answer: (number) =>
      number === 1
        ? { kind: "events", events: saysEvents([...lines, END], number) }
        : { kind: "paced", events: saysEvents(deltas, number), everyMs: 1_000 / DELTAS_PER_SECOND },
  });
  const home = pointed(makeHome(place), server.baseUrl);
  await using screen = openLongScreen(cinch(place), home);
  await screen.shows(/type to begin/);
  await screen.press("fill\r", new RegExp(END));
  const times: number[] = [];
  for (let turn = 0; turn < CANCELS; turn += 1) {
    await screen.settled();
    await screen.press("stream\r", /word150 /);
    times.push(await screen.press(ESCAPE, /cancelled/i));
  }
  const what = `${DELTAS_PER_SECOND} deltas a second behind ${FILL_LINES.toLocaleString("en")} lines: Escape to`;
  return [
    { what: `${what} the word, median`, unit: "ms", cinch: sampled(times), comparison: "alone", aim: 100 },
    alone(`${what} the word, worst of ${CANCELS}`, "ms", Math.max(...times), 100),
  ];
}

/** A message of many lines, and one paragraph of 10 MB that has no end of a line. */
async function measureLines(place: BenchSetup): Promise<readonly Row[]> {
  const lines = Array.from({ length: LONG_LINES }, (_, at) => `Line ${at} has a few words, 日本語 too.\n\n`);
  const pieces = Array.from({ length: 1_000 }, () =>
    "ten kilobytes of text 日本語 ".repeat(400).slice(0, 10_000),
  );
  return [
    ...(await measureText(place, `${LONG_LINES.toLocaleString("en")} lines`, lines)),
    ...(await measureText(place, "a paragraph of 10 MB", pieces)),
  ];
}

async function measureText(
  place: BenchSetup,
  what: string,
  deltas: readonly string[],
): Promise<readonly Row[]> {
  using server = openServer({
    answer: (number) => ({ kind: "events", events: saysEvents([...deltas, END], number) }),
  });
  const home = pointed(makeHome(place), server.baseUrl);
  await using screen = openLongScreen(cinch(place), home);
  await screen.shows(/type to begin/);
  screen.type("go\r");
  await screen.shows(new RegExp(END));
  await screen.settled();
  const { cpuMs, frameMs } = await screen.scroll(PAGES);
  return [
    alone(`${what}: memory of the client (PSS)`, "MiB", screen.ownMiB, 150),
    alone(`${what}: processor time of a page up in the client`, "ms", cpuMs, 16),
    alone(`${what}: a page up, key to screen`, "ms", frameMs),
  ];
}

function longEvents(place: BenchSetup): number {
  return place.quick ? 100_000 : 1_000_000;
}

async function measureLongLog(place: BenchSetup): Promise<readonly Row[]> {
  const events = longEvents(place);
  const home = await homeWithSessions(place, events);
  const times: number[] = [];
  const open = () => openLongScreen([...cinch(place), "--resume", home.long], home);
  await using first = open();
  const resumedMs = await first.shows(FULL);
  await Bun.sleep(SETTLE_MS); // the first client asks for what the last page lacks
  for (let run = 0; run < runsOf(place); run += 1) {
    await using screen = open();
    times.push(await screen.shows(FULL));
  }
  const what = `start to the full screen of a session of ${events.toLocaleString("en")} events`;
  return [
    { what: `${what} that runs`, unit: "ms", cinch: sampled(times), comparison: "alone", aim: 150 },
    alone(`${what} that is stored, with the start of an engine`, "ms", resumedMs),
  ];
}

function runsOf(place: BenchSetup): number {
  return place.quick ? 1 : RUNS;
}

interface RowOptions {
  readonly bare?: readonly TtyFigures[];
  readonly aim?: number;
  readonly comparison?: Row["comparison"];
}

function row(
  what: string,
  unit: string,
  own: readonly TtyFigures[],
  figure: (figures: TtyFigures) => number | null | undefined,
  { bare, aim, comparison = bare === undefined ? "alone" : "ratio" }: RowOptions,
): Row {
  const values = (all: readonly TtyFigures[]) => {
    const found = all.map(figure).filter((each): each is number => each !== null && each !== undefined);
    if (found.length < all.length)
      throw new Error(`${what}: a program did not get so far: ${screensOf(all)}`);
    return sampled(found);
  };
  return {
    what,
    unit,
    cinch: values(own),
    ...(bare === undefined ? {} : { bare: values(bare) }),
    comparison,
    ...(aim === undefined ? {} : { aim }),
  };
}

function screensOf(all: readonly TtyFigures[]): string {
  return all.map(({ start_screen: rows }) => rows.join("\n").trim()).join("\n---\n");
}

function alone(what: string, unit: string, value: number, aim?: number): Row {
  return { what, unit, cinch: sampled([value]), comparison: "alone", ...(aim === undefined ? {} : { aim }) };
}
