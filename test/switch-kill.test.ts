import { expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { LogId } from "../src/base/ids.ts";
import { SILENT_LOG } from "../src/base/log.ts";
import { openMachineKey } from "../src/credentials/machine-key.ts";
import { hostWorld } from "../src/platform/host.ts";
import type { Envelope } from "../src/protocol/events/envelope.ts";
import { openSqliteStore } from "../src/session/sqlite/open.ts";
import { temporaryDirectory } from "./support/world.ts";

const KILLS = 8;
/** Moments of a switch, as the engine reports them. */
const MOMENTS = ["switching", "ProfileSwitched", "SessionEnded", "switched"] as const;
const EVENTS_MAX = 10_000;

test(`[PROF-02 REL-02] of ${KILLS} engines killed while they switch the profile, none loses what was said, or what goes along`, async () => {
  await using place = temporaryDirectory("cinch-switch-");
  for (const name of ["config", "data", "state", "work"]) mkdirSync(join(place.path, name));
  const lives: Life[] = [];
  for (let kill = 0; kill < KILLS; kill++) lives.push(await liveAndDie(place.path, kill));
  const accepted = lives.flatMap((life) => life.accepted);
  const logs = await readLogs(place.path);
  const all = [...logs.values()].flat();
  const said = new Set(all.flatMap(textsOf));
  expect(accepted.filter((text) => !said.has(text))).toEqual([]);
  expect(accepted.length).toBeGreaterThanOrEqual(KILLS);

  // Whoever was told of a session finds it, with where it comes from and what it takes over.
  const left = all.filter((event) => event.kind === "ProfileSwitched" && event.payload.next !== undefined);
  expect(left.length).toBeGreaterThan(0);
  for (const event of left) {
    if (event.kind !== "ProfileSwitched" || event.payload.inPlace === true) continue;
    const { logId, from, to } = event.payload;
    const begun = logs.get(logId as LogId)?.slice(0, 2) ?? [];
    expect(begun.map(({ kind, payload }) => ({ kind, payload }))).toEqual([
      {
        kind: "ProfileSwitched",
        payload: { from, to, logId, previous: event.session, spentBefore: expect.anything() },
      },
      { kind: "CustomEvent", payload: expect.objectContaining({ kind: "TurnsImported" }) },
    ] as never);
  }
  // To go on is to go on where something was said last, whatever had only been begun by then.
  for (const [kill, { begins }] of lives.entries()) {
    const said = [...logs].flatMap(([logId, events]) =>
      events.flatMap(textsOf).map((text) => ({ logId, text })),
    );
    const last = said.filter(({ text }) => text.startsWith(`input ${kill - 1} `)).at(-1);
    if (kill > 0) expect<string | undefined>(begins).toBe(last?.logId);
  }

  // A kill leaves at most one session behind that nobody was told of.
  const known = new Set(
    left.map((event) => (event.kind === "ProfileSwitched" ? event.payload.logId : undefined)),
  );
  const untold = [...logs.keys()].filter((id, at) => !known.has(id) && at > 0);
  expect(untold.length).toBeLessThanOrEqual(KILLS);
}, 600_000);

interface Life {
  /** The log that it went on with. */
  readonly begins: string | undefined;
  /** The inputs that it told to be accepted. */
  readonly accepted: readonly string[];
}

/** Returns the output of an engine that was killed at one moment of a switch. */
async function liveAndDie(folder: string, kill: number): Promise<Life> {
  const child = join(import.meta.dir, "support/switch-child.ts");
  const engine = Bun.spawn([process.execPath, child, folder, String(kill)], {
    cwd: folder,
    env: { PATH: process.env["PATH"] ?? "" },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const errors = new Response(engine.stderr).text();
  const moment = MOMENTS[kill % MOMENTS.length] ?? "";
  const switches = Math.floor(kill / MOMENTS.length);
  let told = "";
  for await (const chunk of engine.stdout.pipeThrough(new TextDecoderStream())) {
    told += chunk;
    if (told.split(`\n${moment}`).length > switches + 1) engine.kill("SIGKILL");
  }
  await engine.exited;
  if (engine.signalCode !== "SIGKILL") throw new Error(`an engine ended by itself: ${await errors}`);
  return {
    begins: /^begins in (.*)$/m.exec(told)?.[1],
    accepted: [...told.matchAll(/^accepted (.*)$/gm)].map(([, text = ""]) => text),
  };
}

/** Every log with its events, the oldest log first. */
async function readLogs(folder: string): Promise<ReadonlyMap<LogId, readonly Envelope[]>> {
  const world = hostWorld(SILENT_LOG);
  using machine = await openMachineKey({ directory: join(folder, "config"), random: world.random });
  const logKey = { key: machine.derive("cinch log v1"), source: machine.source };
  await using store = await openSqliteStore({ path: join(folder, "data/sessions.db"), world, logKey });
  const logs = await store.list({ limit: 1_000 });
  const read = logs
    .toSorted((a, b) => a.createdAt.localeCompare(b.createdAt))
    .map(async ({ logId }) => [logId, await store.events(logId, 0, EVENTS_MAX)] as const);
  return new Map(await Promise.all(read));
}

function textsOf(event: Envelope): readonly string[] {
  if (event.kind !== "TurnStarted") return [];
  return (event.payload.content ?? []).flatMap((block) =>
    block.type === "text" && block.text.startsWith("input ") ? [block.text] : [],
  );
}
