import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual, parseArgs } from "node:util";
import type { SessionId } from "../src/base/ids.ts";
import { isObject, parseJson } from "../src/base/json.ts";
import { codeOf } from "../src/base/world.ts";
import { isInRanges } from "../src/session/store/expired.ts";
import { crashRange } from "../src/session/store/log-facts.ts";
import { chance } from "../test/support/chance.ts";
import type { CinchHome, CinchResult } from "../test/support/cinch.ts";
import { cinchHome, runCinch, startCinch } from "../test/support/cinch.ts";
import { openHomeStore } from "../test/support/home-store.ts";
import { killRounds } from "../test/support/kill-rig.ts";
import type { MockProvider } from "../test/support/mock-provider/mock-provider.ts";
import { startMockProvider } from "../test/support/mock-provider/mock-provider.ts";
import type { Turn } from "../test/support/mock-provider/turn.ts";
import { processesWith } from "../test/support/processes.ts";
import { soakAtOnce } from "./soak-at-once.ts";
import { soakCompaction } from "./soak-compaction.ts";
import { soakConformance } from "./soak-conformance.ts";
import { soakDeletable } from "./soak-deletable.ts";
import { soakLong } from "./soak-long.ts";
import { soakMcp } from "./soak-mcp.ts";
import { soakMcpClient } from "./soak-mcp-client.ts";
import { soakRedaction } from "./soak-redaction.ts";
import { soakRewinds } from "./soak-rewinds.ts";
import { soakSession } from "./soak-session.ts";
import { soakShell } from "./soak-shell.ts";
import { soakSplits } from "./soak-splits.ts";
import { soakTerminal } from "./soak-terminal.ts";
import { soakXterm } from "./soak-xterm.ts";

/**
 * Ends cinch at random moments, many times, and looks at what is left (REL-02, REL-03, R13, R19, R38):
 *
 *     npm run soak -- --kills 60 --signals 60 --seed 7
 *
 * A kill round runs commands that each append a line of their own to a file, kills the process with SIGKILL, and goes
 * on with `--continue`. Afterwards no line may stand there twice, every event that was shown must be in the log (or be
 * a delta that the `StreamGap` after the crash names), and the provider must have taken the history. A signal round
 * runs commands that ignore signals, and sends SIGINT, SIGTERM or SIGHUP: the run must end with its exit code in time,
 * leave no process behind, and go on with `--continue`.
 * One round in ten ends during the start, the others after a random event of the run: an undisturbed run says how long
 * the start takes on this machine, and how many events there are.
 *
 * With --engines N it kills N bare engines that work on the same logs one after another, as `npm test` does 100 times.
 * With --splits it reads every recorded stream at every byte split instead, which takes no chance and a quarter of an
 * hour. With --shell it runs 200,000 generated lines that are judged to only read (--lines N) under strace, and
 * compares others with what a traced bash starts. With --compaction it talks for 10,000 turns with a model of a small
 * window, and looks at every request and the memory. With --long one session takes 10,000 turns and one engine opens
 * and ends 1,000 sessions, and nothing may grow. With --conformance it shows every broken server every scenario, and
 * walks a real engine over its sockets 100 times (--runs N). With --mcp it walks a real engine through the official
 * conformance suite of MCP and the inspector, which it fetches. With --mcp-client that suite starts the MCP client of
 * cinch against every server that it has. With --session it lives through one session of 500 turns (--turns N) with
 * real tools, from the command line. With --at-once N it starts N runs at the same moment on one session store, 20
 * times (--rounds R). With --rewinds N it sets files back after N random rows of turns, alone and with others at work
 * on the same files. With --deletable it deletes each feature that can be deleted (--feature NAME: that one), and
 * runs the tests that are left. With --redaction it redacts 300,000 random texts made of secrets (--texts N), whole,
 * twice and in pieces. With --terminal N it runs the terminal client through N random sequences of keys and events.
 * With --xterm it drives it in an xterm on a display without a screen: the mouse, selections and the clipboard. That
 * needs Xvfb, xterm, xdotool and xclip.
 *
 * Prints what it tried and each thing that failed; the exit code is 1 when anything did.
 */
const KINDS = ["openai-compatible", "anthropic", "openai-responses"] as const;
type Kind = (typeof KINDS)[number];
const DELTAS: ReadonlySet<string> = new Set(["TextDelta", "ThinkingDelta", "ToolCallProgress"]);
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const FLAGS = ["--model", "mock:one", "--auto-approve", "--output-format", "stream-json"] as const;
const CALLS = 6;
/** Share of the rounds that end before the first event. */
const EARLY_SHARE = 0.1;
/** Rounds of one seed that have numbers of their own. */
const ROUNDS_MAX = 100_000;
/** Longest wait between the event that a round waits for and its end, which may fall between two events, too. */
const AFTER_EVENT_MS_MAX = 30;
const END_MS_MAX = 8_000;
/** Engines that live at the same time. */
const ENGINE_LANES = 3;

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "60" },
    signals: { type: "string", default: "60" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    splits: { type: "boolean", default: false },
    shell: { type: "boolean", default: false },
    lines: { type: "string", default: "200000" },
    compaction: { type: "boolean", default: false },
    long: { type: "boolean", default: false },
    session: { type: "boolean", default: false },
    turns: { type: "string", default: "500" },
    engines: { type: "string" },
    rewinds: { type: "string" },
    redaction: { type: "boolean", default: false },
    deletable: { type: "boolean", default: false },
    terminal: { type: "string" },
    feature: { type: "string" },
    texts: { type: "string", default: "300000" },
    "at-once": { type: "string" },
    rounds: { type: "string", default: "20" },
    conformance: { type: "boolean", default: false },
    mcp: { type: "boolean", default: false },
    "mcp-client": { type: "boolean", default: false },
    runs: { type: "string", default: "100" },
    xterm: { type: "boolean", default: false },
  },
});
const failures: string[] = [];
const seen = new Map<string, number>();

if (values.splits) failures.push(...(await soakSplits()));
else if (values.shell) failures.push(...(await soakShell(Number(values.seed), Number(values.lines))));
else if (values.compaction) failures.push(...(await soakCompaction(Number(values.seed))));
else if (values.long) failures.push(...(await soakLong()));
else if (values.mcp) failures.push(...(await soakMcp()));
else if (values["mcp-client"]) failures.push(...(await soakMcpClient()));
else if (values.conformance) failures.push(...(await soakConformance(Number(values.runs))));
else if (values.xterm) failures.push(...(await soakXterm()));
else if (values.session) failures.push(...(await soakSession(Number(values.turns))));
else if (values.rewinds !== undefined)
  failures.push(...(await soakRewinds(Number(values.rewinds), Number(values.seed))));
else if (values.deletable) failures.push(...(await soakDeletable(values.feature)));
else if (values.terminal !== undefined)
  failures.push(...(await soakTerminal(Number(values.terminal), Number(values.seed))));
else if (values.redaction) failures.push(...soakRedaction(Number(values.texts), Number(values.seed)));
else if (values["at-once"] !== undefined)
  failures.push(...(await soakAtOnce(Number(values["at-once"]), Number(values.rounds))));
else if (values.engines !== undefined) await engines(Number(values.engines));
else await endings();
for (const [what, times] of [...seen].sort()) console.log(`${String(times).padStart(6)} ${what}`);
for (const failure of failures) console.log(`FAILED ${failure}`);
console.log(`${failures.length} failures`);
process.exit(failures.length === 0 ? 0 : 1);

async function engines(kills: number): Promise<void> {
  const report = await killRounds(kills, ENGINE_LANES);
  count("engines killed", report.kills);
  count("of them in a turn", report.inTurns);
  count("events", report.events);
  count("effects", report.effects);
  count("shown events that a kill took", report.lost);
  failures.push(...report.failures);
}

async function endings(): Promise<void> {
  console.log(`seed ${values.seed}: ${values.kills} kills, ${values.signals} signals`);
  await rounds("kill", Number(values.kills), killRound);
  await rounds("signal", Number(values.signals), signalRound);
}

async function rounds(
  name: string,
  times: number,
  run: (rig: Rig) => Promise<readonly string[]>,
): Promise<void> {
  const wholes = new Map<Kind, Whole>();
  for (let round = 1; round <= times; round++) {
    const kind = KINDS[round % KINDS.length] ?? KINDS[0];
    const whole = wholes.get(kind) ?? (await undisturbed(kind));
    wholes.set(kind, whole);
    // Each round has numbers of its own: how many an earlier one took depends on when it ended.
    await using rig = openRig(kind, chance(Number(values.seed) * ROUNDS_MAX + round).number, whole);
    for (const failure of await run(rig)) failures.push(`${name} ${round} (${kind}): ${failure}`);
  }
}

/** Runs a turn to its end. */
async function undisturbed(kind: Kind): Promise<Whole> {
  await using rig = openRig(kind, chance(Number(values.seed)).number, { firstMs: 0, events: 0 });
  const startMs = performance.now();
  await using cinch = startCinch(["-p", "go", ...FLAGS], { home: rig.home, cwd: rig.work });
  cinch.closeStdin();
  let firstMs = 0;
  let events = 0;
  for await (const chunk of cinch.stdout) {
    if (events === 0) firstMs = performance.now() - startMs;
    events += linesIn(chunk);
  }
  const code = await cinch.exited;
  if (code !== 0 || events < 2)
    throw new Error(`the undisturbed run (${kind}) ended with ${code}: ${await cinch.stderr}`);
  console.log(`undisturbed (${kind}): ${events} events, the first after ${Math.round(firstMs)} ms`);
  return { firstMs, events };
}

/** Draws the moment at which a round ends. */
function momentOf({ whole, random }: Rig): Moment {
  if (random() < EARLY_SHARE) return { events: 0, ms: random() * whole.firstMs };
  return { events: 1 + Math.floor(random() * (whole.events - 1)), ms: random() * AFTER_EVENT_MS_MAX };
}

async function killRound(rig: Rig): Promise<readonly string[]> {
  const shown = await ended(rig, "SIGKILL");
  const again = await rig.run(["-p", "go on", "--continue", "--orphans", "fail", ...FLAGS]);
  const failed = [...continued(again, shown.lines.length > 0), ...(await missingInLog(rig, shown.lines))];
  return [...failed, ...repeated(rig), ...missingEffects(rig, shown.lines)];
}

async function signalRound(rig: Rig): Promise<readonly string[]> {
  const signal = SIGNALS[Math.floor(rig.random() * SIGNALS.length)] ?? "SIGINT";
  const shown = await ended(rig, signal);
  count(`${signal} ended with ${shown.code}`);
  const failed = [...(await missingInLog(rig, shown.lines))];
  if (shown.code !== 0 && shown.code !== 130) {
    // Before it listens for signals, a process ends by the signal itself.
    if (shown.lines.length > 0 || shown.code < 128) failed.push(`${signal} ended it with ${shown.code}`);
  }
  if (shown.tookMs > END_MS_MAX) failed.push(`${signal} took ${Math.round(shown.tookMs)} ms`);
  const survivors = processesWith(rig.mark);
  if (survivors.length > 0) failed.push(`${signal} left ${survivors.length} processes`);
  for (const pid of survivors) signalIfThere(pid, "SIGKILL");
  const kinds = shown.lines.map((line) => line["kind"]);
  if (kinds.length > 0 && kinds.at(-1) !== "TurnEnded")
    failed.push(`the last event shown is ${kinds.at(-1)}`);
  const again = await rig.run(["-p", "go on", "--continue", "--orphans", "fail", ...FLAGS]);
  return [...failed, ...continued(again, kinds.length > 0), ...repeated(rig)];
}

/** Runs a turn and ends it at a random moment. */
async function ended(rig: Rig, signal: NodeJS.Signals) {
  const moment = momentOf(rig);
  await using cinch = startCinch(["-p", "go", ...FLAGS], { home: rig.home, cwd: rig.work });
  cinch.closeStdin();
  const reached = Promise.withResolvers<void>();
  const reading = (async () => {
    let text = "";
    for await (const chunk of cinch.stdout) {
      text += chunk;
      if (linesIn(text) >= moment.events) reached.resolve();
    }
    reached.resolve(); // it ended before
    return text;
  })();
  if (moment.events > 0) await reached.promise;
  await Bun.sleep(moment.ms);
  const startMs = performance.now();
  signalIfThere(cinch.pid, signal);
  const code = await cinch.exited;
  const tookMs = performance.now() - startMs;
  const lines = (await reading).split("\n").slice(0, -1).map(objectOf);
  const last = lines.at(-1);
  const isOver = last?.["kind"] === "TurnEnded" && payloadOf(last)["reason"] === "complete";
  const when = last === undefined ? "before the first event" : isOver ? "after the turn" : "within the turn";
  count(`${signal} ${when}`);
  return { code, tookMs, lines };
}

function linesIn(text: string): number {
  return text.split("\n").length - 1;
}

/** The process alone, not its group; one that has ended before its moment came is left as it is. */
function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (thrown) {
    if (codeOf(thrown) !== "ESRCH") throw thrown;
    count("ended before its signal");
  }
}

/**
 * Returns what was shown and is not in the log as it was shown. A delta may be lost, if the run that followed the crash
 * has named its id in a `StreamGap` (decision 0019).
 */
async function missingInLog(rig: Rig, lines: readonly Line[]): Promise<readonly string[]> {
  const [first] = lines;
  if (first === undefined) return [];
  await using store = await openHomeStore(rig.home.path);
  const found = await store.find(first["session"] as SessionId);
  if (found === undefined) return ["the session is not in the store"];
  const logged = await store.events(found.logId, 0, 10_000);
  const events = new Map(logged.map((event) => [event.id, event]));
  const gaps = logged.flatMap((event) => crashRange(event) ?? []);
  const isLostDelta = ({ id, kind }: Line) =>
    DELTAS.has(String(kind)) && !events.has(Number(id)) && isInRanges(Number(id), gaps);
  const lost = lines.filter(isLostDelta).length;
  if (lost > 0) count("deltas shown and lost, named by a StreamGap", lost);
  return lines
    .filter((line) => !isLostDelta(line) && !isDeepStrictEqual(events.get(line["id"] as number), line))
    .map((line) => `event ${line["id"]} (${line["kind"]}) was shown and is not in the log`);
}

function continued({ code, stderr, timedOut }: CinchResult, hadTurn: boolean): readonly string[] {
  if (timedOut) return ["--continue hangs"];
  if (code === 2 && !hadTurn && stderr.includes("NothingToContinue")) {
    count("nothing to continue yet");
    return [];
  }
  count(`--continue ended with ${code}`);
  return code === 0 ? [] : [`--continue ended with ${code}: ${stderr}`];
}

function repeated(rig: Rig): readonly string[] {
  const lines = rig.witness();
  count("effects seen", lines.length);
  return [...new Set(lines)]
    .filter((line) => lines.filter((other) => other === line).length > 1)
    .map((line) => `${line} took effect twice`);
}

/** Returns calls that were reported as successful without an effect. */
function missingEffects(rig: Rig, shown: readonly Line[]): readonly string[] {
  const lines = rig.witness();
  const succeeded = shown.filter((line) => line["kind"] === "ToolResult" && !payloadOf(line)["isError"]);
  return succeeded.length > lines.length ? [`${succeeded.length} effects shown, ${lines.length} seen`] : [];
}

/** A run that nothing ended. */
interface Whole {
  /** Between its start and its first event. */
  readonly firstMs: number;
  readonly events: number;
}

/** A while after an event that was shown; after the start if `events` is 0. */
interface Moment {
  readonly events: number;
  readonly ms: number;
}

interface Rig extends AsyncDisposable {
  readonly random: () => number;
  /** The run with the same provider that nothing ended. */
  readonly whole: Whole;
  readonly mock: MockProvider;
  readonly home: CinchHome;
  readonly work: string;
  /** Stands in the command line of every process that a command starts. */
  readonly mark: string;
  witness(): readonly string[];
  run(args: readonly string[]): Promise<CinchResult>;
}

function openRig(kind: Kind, random: () => number, whole: Whole): Rig {
  const home = cinchHome();
  const work = realpathSync(mkdtempSync(join(tmpdir(), "cinch-soak-")));
  const witness = join(work, "witness");
  const mark = `3${Math.floor(random() * 1e9)}.5`;
  let calls = 0;
  const mock = startMockProvider({ script: () => turnOf(++calls, mark, random) });
  const baseUrl = kind === "anthropic" ? mock.url : `${mock.url}/v1`;
  mkdirSync(join(home.path, "config/cinch"));
  writeFileSync(
    join(home.path, "config/cinch/config.toml"),
    `[providers.mock]\nkind = "${kind}"\nbase_url = "${baseUrl}"\n`,
  );
  return {
    random,
    whole,
    mock,
    home,
    work,
    mark,
    witness: () => (existsSync(witness) ? readFileSync(witness, "utf8").split("\n").filter(Boolean) : []),
    run: (args) => runCinch(args, { home, cwd: work, timeoutMs: 30_000 }),
    async [Symbol.asyncDispose]() {
      // What SIGKILL of cinch leaves running nobody of ours can end: only a sandbox can.
      for (const pid of processesWith(mark)) signalIfThere(pid, "SIGKILL");
      await mock[Symbol.asyncDispose]();
      home[Symbol.dispose]();
      rmSync(work, { recursive: true, force: true });
    },
  };
}

/** One answer of the model: words, then a command with an effect of its own; every few answers, none. */
function turnOf(number: number, mark: string, random: () => number): Turn {
  const words = { text: `Step ${number}: `.repeat(4) };
  const more = { deltaChars: 6, paceMs: Math.floor(random() * 4) };
  if (number % (CALLS + 1) === 0) return { parts: [words], ...more };
  const ways = [
    `echo effect-${number} >> witness`,
    `echo effect-${number} >> witness; sleep 0.05`,
    `sleep 0.03; echo effect-${number} >> witness`,
    `echo effect-${number} >> witness; (trap '' TERM INT HUP; sleep ${mark}) & setsid sleep ${mark} & sleep 0.02`,
  ];
  const command = ways[Math.floor(random() * ways.length)] ?? "true";
  return { parts: [words, { tool: "Bash", input: { command } }], ...more };
}

type Line = Readonly<Record<string, unknown>>;

function objectOf(line: string): Line {
  const value = parseJson(line)?.value;
  return isObject(value) ? { ...value } : { kind: `no JSON: ${line}` };
}

function payloadOf(line: Line): Line {
  const payload = line["payload"];
  return isObject(payload) ? { ...payload } : {};
}

function count(what: string, times = 1): void {
  seen.set(what, (seen.get(what) ?? 0) + times);
}
