import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SILENT_LOG } from "../../src/base/log.ts";
import { hostWorld } from "../../src/platform/host.ts";
import type { Envelope } from "../../src/protocol/events/envelope.ts";
import { openSqliteStore } from "../../src/session/sqlite/open.ts";
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
  readonly failures: readonly string[];
}

/**
 * Kills real engines with SIGKILL at random moments, and lets the next one go on with the same log (REL-02): what was
 * accepted or shown must be in the log, no change may have been made twice, and every resumed history must be one
 * that a provider takes.
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
    const lines = await liveAndDie(child, folder);
    let running = false;
    for (const line of lines) {
      const [what = "", first = "", second = ""] = line.split(" ");
      if (what === "accepted") accepted.push(`${first} ${second}`);
      else if (what === "event") {
        const known = shown.get(Number(first));
        if (known !== undefined && known !== second)
          failures.push(`event ${first} was ${known}, and is ${second}`);
        shown.set(Number(first), second);
        if (second === "TurnStarted") running = true;
        if (second === "TurnEnded") running = false;
      } else failures.push(line);
    }
    if (running) inTurns += 1;
  }
  const events = await readLog(folder);
  const texts = new Set(events.flatMap(inputTexts));
  for (const text of accepted)
    if (!texts.has(text)) failures.push(`'${text}' was accepted and is not in the log`);
  for (const [id, kind] of shown) {
    if (events[id - 1]?.kind !== kind) failures.push(`event ${id} (${kind}) was shown and is not in the log`);
  }
  const effects = witnessed(folder);
  const twice = effects.filter((line, at) => effects.indexOf(line) !== at);
  for (const call of twice) failures.push(`${call} took effect twice`);
  return { kills, inTurns, events: events.length, effects: effects.length, failures };
}

/** Returns the output of an engine until it was killed. */
async function liveAndDie(child: string, folder: string): Promise<readonly string[]> {
  const engine = Bun.spawn([process.execPath, child, folder], {
    cwd: folder,
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

async function readLog(folder: string): Promise<readonly Envelope[]> {
  const world = hostWorld(SILENT_LOG);
  await using store = await openSqliteStore({ path: join(folder, "sessions.db"), world, logKey: LOG_KEY });
  const [log] = await store.list({ limit: 1 });
  return log === undefined ? [] : await store.events(log.logId, 0, EVENTS_PER_READ);
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
    failures: [...one.failures, ...other.failures],
  };
}
