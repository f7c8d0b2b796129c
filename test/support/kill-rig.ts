import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { canonicalJson } from "../../src/base/json.ts";
import { SILENT_LOG } from "../../src/base/log.ts";
import { hostWorld } from "../../src/platform/host.ts";
import type { Envelope } from "../../src/protocol/events/envelope.ts";
import { openSqliteStore } from "../../src/session/sqlite/open.ts";
import { isInRanges } from "../../src/session/store/expired.ts";
import { crashRange } from "../../src/session/store/log-facts.ts";
import type { EventRange } from "../../src/session/store/store.ts";
import { LOG_KEY } from "./store-rig.ts";
import { temporaryDirectory } from "./world.ts";

/** Accepted inputs before the kill comes near: counted, because a busy machine takes longer for each. */
const ACCEPTED_MAX = 4;
/** Longest further life after that. */
const LIFE_MS_MAX = 40;
/** Kills per log: many resumes of one log, without a log that is too long to check. */
const KILLS_PER_LOG = 25;
const EVENTS_PER_READ = 10_000;

export interface KillReport {
  readonly kills: number;
  /** Kills that came while a turn was running. */
  readonly inTurns: number;
  readonly events: number;
  readonly effects: number;
  /** Events that a client saw and a kill took: a StreamGap stands for them. */
  readonly lost: number;
  readonly failures: readonly string[];
}

/**
 * Kills real engines with SIGKILL at random moments, and lets the next one go on with the same log (REL-02): what was
 * accepted or shown must be in the log, or a delta for which a StreamGap stands; a client that goes on after what it
 * saw must get the next event or that gap; no id may have had two contents, no change may have been made twice, and
 * every resumed history must be one that a provider takes.
 */
export async function killRounds(kills: number, lanes: number): Promise<KillReport> {
  await using place = temporaryDirectory("cinch-kill-");
  const child = join(place.path, "kill-child.js");
  const built = await Bun.build({
    entrypoints: [join(import.meta.dir, "kill-child.ts")],
    target: "bun",
    outdir: place.path,
  });
  if (!built.success) throw new Error(`the child cannot be built: ${built.logs.join("\n")}`);
  let left = kills;
  const reports: KillReport[] = [];
  async function lane(): Promise<void> {
    while (left > 0) {
      const here = Math.min(left, KILLS_PER_LOG);
      left -= here;
      await using folder = temporaryDirectory("log-", place.path);
      reports.push(await killOneLog(child, folder.path, here));
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane));
  return reports.reduce(sum);
}

async function killOneLog(child: string, folder: string, kills: number): Promise<KillReport> {
  const accepted: string[] = [];
  const shown = new Map<number, string>();
  const failures: string[] = [];
  let inTurns = 0;
  for (let kill = 0; kill < kills; kill++) {
    const cursor = Math.max(0, ...shown.keys());
    const lines = await liveAndDie([child, folder, `${cursor}`]);
    let running = false;
    for (const line of lines) {
      const [what = "", first = "", second = "", third = ""] = line.split(" ");
      if (what === "accepted") accepted.push(`${first} ${second}`);
      else if (what === "event") {
        const known = shown.get(Number(first));
        if (known !== undefined && known !== second)
          failures.push(`event ${first} was ${known}, and is ${second}`);
        shown.set(Number(first), second);
        if (second.startsWith("TurnStarted:")) running = true;
        if (second.startsWith("TurnEnded:")) running = false;
      } else if (what === "first") {
        const [since, from, id] = [first, second, third].map(Number);
        if (since === undefined || from === undefined || id === undefined || !follows({ since, from, id }))
          failures.push(`after event ${first} came event ${third}, from ${second}`);
      } else failures.push(line);
    }
    if (running) inTurns += 1;
  }
  const { events, unused } = await readLog(folder);
  const texts = new Set(events.flatMap(inputTexts));
  for (const text of accepted)
    if (!texts.has(text)) failures.push(`'${text}' was accepted and is not in the log`);
  const logged = new Map(events.map((event) => [event.id, event]));
  const gaps = [...events.flatMap((event) => crashRange(event) ?? []), ...unused];
  let lost = 0;
  for (const [id, content] of shown) {
    const event = logged.get(id);
    if (event !== undefined && contentOf(event) === content) continue;
    if (event === undefined && content.startsWith("TextDelta:") && isInRanges(id, gaps)) lost += 1;
    else failures.push(`event ${id} (${content}) was shown and is not in the log`);
  }
  const effects = witnessed(folder);
  const twice = effects.filter((line, at) => effects.indexOf(line) !== at);
  for (const call of twice) failures.push(`${call} took effect twice`);
  return { kills, inTurns, events: events.length, effects: effects.length, lost, failures };
}

/** Returns true if an event, and what it stands for, is the next one after another. */
function follows({
  since,
  from,
  id,
}: {
  readonly since: number;
  readonly from: number;
  readonly id: number;
}) {
  return id > since && from <= since + 1 && (from < id || id === since + 1);
}

/** Writes the content of an event as the child tells it. */
function contentOf(event: Envelope): string {
  return `${event.kind}:${Bun.hash(canonicalJson(event)).toString(36)}`;
}

/** Returns the output of an engine until it was killed. */
async function liveAndDie(child: readonly string[]): Promise<readonly string[]> {
  const engine = Bun.spawn([process.execPath, ...child], {
    env: { PATH: process.env["PATH"] ?? "" },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const errors = new Response(engine.stderr).text();
  let told = "";
  const accepts = Math.floor(Math.random() * (ACCEPTED_MAX + 1));
  let begun = false;
  for await (const chunk of engine.stdout.pipeThrough(new TextDecoderStream())) {
    told += chunk;
    if (begun || acceptedIn(told) < accepts) continue;
    begun = true;
    const timer = setTimeout(() => engine.kill("SIGKILL"), Math.random() * LIFE_MS_MAX);
    void engine.exited.then(() => clearTimeout(timer));
  }
  await engine.exited;
  const failed = engine.signalCode === "SIGKILL" ? [] : [`an engine ended by itself: ${await errors}`];
  return [...told.split("\n").slice(0, -1), ...failed];
}

function acceptedIn(told: string): number {
  return told.match(/^accepted /gm)?.length ?? 0;
}

interface LogRead {
  readonly events: readonly Envelope[];
  /** Ids that the next run will not use: those of the last kill. */
  readonly unused: readonly EventRange[];
}

async function readLog(folder: string): Promise<LogRead> {
  const world = hostWorld(SILENT_LOG);
  await using store = await openSqliteStore({ path: join(folder, "sessions.db"), world, logKey: LOG_KEY });
  const [log] = await store.list({ limit: 1 });
  if (log === undefined) return { events: [], unused: [] };
  const { logId, lastEvent } = log;
  await using writer = await store.open(logId, world.ids.next("sess"), world.machine);
  const events = await store.events(logId, 0, EVENTS_PER_READ);
  return { events, unused: [{ from: lastEvent + 1, to: writer.reserved ?? 0 }] };
}

function inputTexts(event: Envelope): readonly string[] {
  if (event.kind !== "TurnStarted") return [];
  return (event.payload.content ?? []).flatMap((block) => (block.type === "text" ? [block.text] : []));
}

function witnessed(folder: string): readonly string[] {
  const path = join(folder, "witness");
  return existsSync(path) ? readFileSync(path, "utf8").split("\n").slice(0, -1) : [];
}

function sum(one: KillReport, other: KillReport): KillReport {
  return {
    kills: one.kills + other.kills,
    inTurns: one.inTurns + other.inTurns,
    events: one.events + other.events,
    effects: one.effects + other.effects,
    lost: one.lost + other.lost,
    failures: [...one.failures, ...other.failures],
  };
}
