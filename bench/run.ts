import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { measureCheckpoint } from "./checkpoint.ts";
import { measureClients } from "./clients.ts";
import { measureCompletion } from "./completion.ts";
import { measureControl } from "./control.ts";
import { measureExtensions } from "./extensions.ts";
import type { BenchSection } from "./figures.ts";
import { writeFigures } from "./figures.ts";
import { measureFirstLine } from "./first-line.ts";
import { measureGrowth } from "./growth.ts";
import { BENCH_MS_MAX, endAll } from "./guard.ts";
import { measureIdle } from "./idle.ts";
import { measureLog } from "./log.ts";
import { measureMemory } from "./memory.ts";
import { measurePermissions } from "./permissions.ts";
import { measureQueries } from "./queries/queries.ts";
import { measureRedaction } from "./redaction.ts";
import type { Row, Verdict } from "./report.ts";
import { judge, table } from "./report.ts";
import { measureRequests } from "./requests.ts";
import { measureRounds } from "./rounds.ts";
import { measureSearch } from "./search.ts";
import { measureTalk } from "./sessions.ts";
import { measureStart } from "./start.ts";
import { measureStream } from "./stream.ts";
import type { BenchSetup } from "./subject.ts";
import { measureTerminal } from "./terminal/terminal.ts";
import { measureTrust } from "./trust.ts";

/**
 * `npm run bench`: cinch, compiled and with everything on by default, beside a bare program that does the same loop
 * (bench/bare.ts), compiled too, in the same run (PERF-01, -02, -03, -05, -06). Linux only. The figures are explained
 * in docs/performance.md.
 *
 * --only LIST   some of the measures: start, first-line, requests, rounds, growth, stream, memory, idle, sessions,
 *               log, search, queries, trust, permissions, redaction, checkpoint, control, clients, completion,
 *               terminal, extensions
 * --quick            fewer samples: for a look, not for a claim
 * --long             the log measures with 1,000,000 events, the sessions with 50 turns each
 * --stored FOLDER    keeps the sessions that search and queries are measured with there, for the next run
 * --json             one JSON object instead of the table
 * --source           cinch from source instead of compiled; the bare script is compiled all the same
 * --binary PATH      a binary that was built before
 * --write            also write docs/performance/figures.md and the short table of docs/performance.md: whole runs only
 */
const ROOT = resolve(import.meta.dir, "..");
const MEASURES = {
  start: { title: "Start", measure: measureStart },
  "first-line": { title: "First line at a terminal", measure: measureFirstLine },
  requests: { title: "Requests and processes", measure: measureRequests },
  rounds: { title: "Rounds", measure: measureRounds },
  growth: { title: "Growth with repository, store and session", measure: measureGrowth },
  stream: { title: "Streams", measure: measureStream },
  memory: { title: "Memory", measure: measureMemory },
  idle: { title: "An idle session", measure: measureIdle },
  sessions: { title: "Many and long sessions", measure: measureTalk },
  log: { title: "The log", measure: measureLog },
  search: { title: "Search", measure: measureSearch },
  queries: { title: "Queries", measure: measureQueries },
  redaction: { title: "Redaction", measure: measureRedaction },
  permissions: { title: "Questions about commands", measure: measurePermissions },
  trust: { title: "Trust and the injection scanner", measure: measureTrust },
  checkpoint: { title: "Checkpoints", measure: measureCheckpoint },
  control: { title: "Clients of an engine", measure: measureControl },
  clients: { title: "Rich clients", measure: measureClients },
  completion: { title: "Completion of files", measure: measureCompletion },
  terminal: { title: "The terminal client", measure: measureTerminal },
  extensions: { title: "What extends a session", measure: measureExtensions },
} as const satisfies Readonly<
  Record<string, { readonly title: string; readonly measure: (place: BenchSetup) => Promise<readonly Row[]> }>
>;

const { values: options } = parseArgs({
  args: Bun.argv.slice(2),
  options: {
    only: { type: "string", default: Object.keys(MEASURES).join(",") },
    quick: { type: "boolean", default: false },
    long: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    source: { type: "boolean", default: false },
    binary: { type: "string" },
    stored: { type: "string" },
    write: { type: "boolean", default: false },
  },
});

const scratch = mkdtempSync(join(tmpdir(), "cinch-bench-"));
const tooLong = setTimeout(() => {
  endAll();
  rmSync(scratch, { recursive: true, force: true });
  console.error(`bench: not done within ${BENCH_MS_MAX / 60_000} minutes`);
  process.exit(1);
}, BENCH_MS_MAX);
try {
  await main();
} finally {
  clearTimeout(tooLong);
  endAll();
  rmSync(scratch, { recursive: true, force: true });
}

async function main(): Promise<void> {
  const chosen = chosenMeasures();
  const [load = 0] = loadavg();
  if (options.write && (options.quick || options.source || chosen.length < Object.keys(MEASURES).length))
    throw new Error("--write takes a whole run of the compiled program: no --only, --quick or --source");
  const place = await prepare();
  const sections: BenchSection[] = [];
  for (const name of chosen) {
    if (!options.json) console.error(`measuring ${name} …`);
    const { title, measure } = MEASURES[name];
    sections.push({ title, verdicts: (await measure(place)).map(judge) });
  }
  const verdicts = sections.flatMap((section) => section.verdicts);
  if (options.json)
    console.log(JSON.stringify({ machine: machine(), subject: subject(), verdicts }, null, 2));
  else console.log(`\n${subject()} on ${machine()}\n\n${table(verdicts)}\n${summary(verdicts)}`);
  if (!options.write) return;
  const day = new Date().toISOString().slice(0, 10);
  writeFigures(ROOT, { day, commit: commit(), machine: machine(), load, sections });
}

/** The commit of the clone; empty where there is no git. */
function commit(): string {
  if (Bun.which("git") === null) return "";
  const asked = Bun.spawnSync(["git", "rev-parse", "--short", "HEAD"], { cwd: ROOT, stderr: "ignore" });
  return asked.exitCode === 0 ? asked.stdout.toString().trim() : "";
}

function chosenMeasures(): readonly (keyof typeof MEASURES)[] {
  return options.only.split(",").map((name) => {
    const known = (Object.keys(MEASURES) as (keyof typeof MEASURES)[]).find((each) => each === name);
    if (known === undefined) {
      console.error(`bench: --only: '${name}' is none of ${Object.keys(MEASURES).join(", ")}`);
      process.exit(2);
    }
    return known;
  });
}

async function prepare(): Promise<BenchSetup> {
  const bun = join(scratch, "bun");
  copyFileSync(process.execPath, bun);
  const { quick, long } = options;
  const stored = options.stored === undefined ? undefined : resolve(options.stored);
  const [bareProgram, hello] = [await compiled("bare"), await compiled("hello")];
  return {
    scratch,
    bun,
    root: ROOT,
    quick,
    long,
    stored,
    bare: bareProgram,
    hello,
    cinch: await cinchProgram(bun),
  };
}

/** Compiles a program of the bench as cinch is compiled. */
async function compiled(name: "bare" | "hello"): Promise<string> {
  const outfile = join(scratch, name);
  await Bun.build({
    entrypoints: [join(ROOT, `bench/${name}.ts`)],
    format: "esm",
    minify: true,
    bytecode: true,
    compile: { outfile },
  });
  return outfile;
}

async function cinchProgram(bun: string): Promise<readonly string[]> {
  if (options.source) {
    const flags = ["--no-install", "--no-env-file", "--config=/dev/null"];
    return [bun, ...flags, `--tsconfig-override=${ROOT}/tsconfig.json`, join(ROOT, "src/cli/main.ts")];
  }
  const binary = join(scratch, "cinch");
  if (options.binary !== undefined) {
    copyFileSync(resolve(options.binary), binary);
    return [binary];
  }
  const build = Bun.spawn([process.execPath, join(ROOT, "scripts/build.ts"), "--outfile", binary], {
    cwd: ROOT,
    stdio: ["ignore", "ignore", "inherit"],
  });
  if ((await build.exited) !== 0) throw new Error("the build failed: see above");
  return [binary];
}

function subject(): string {
  return options.source ? "cinch from source" : "cinch compiled";
}

function machine(): string {
  const cores = cpus();
  return `${process.platform}-${process.arch}, ${cores.length} × ${cores[0]?.model.trim()}, Bun ${Bun.version}`;
}

function summary(verdicts: readonly Verdict[]): string {
  const aimed = verdicts.filter(({ met }) => met !== undefined);
  const missed = aimed.filter(({ met }) => met === false);
  if (missed.length === 0) return `All ${aimed.length} aims are met.`;
  return `${aimed.length - missed.length} of ${aimed.length} aims are met; missed: ${missed.map(({ what }) => what).join("; ")}.`;
}
