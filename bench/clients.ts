import type { SessionId } from "../src/base/ids.ts";
import { programIn } from "./control.ts";
import type { Row } from "./report.ts";
import type { RichClients } from "./rich-clients.ts";
import { openServer } from "./server.ts";
import { sampled } from "./statistics.ts";
import type { BenchSetup } from "./subject.ts";
import { makeHome } from "./subject.ts";
import type { Asked, WatchSpec } from "./watching.ts";
import { startAsked } from "./watching.ts";
import { saysEvents } from "./wire.ts";

const MIB = 1024 * 1024;
const KIB = 1024;
const CLIENTS = 50;
const SESSIONS = 10;
/** Rounds of turns within which each client has to have something of each kind. */
const ROUNDS_MAX = 5;
const WORDS = ["It is ", "about ", "a note that somebody ", "has written ", "down."];

interface Counts {
  readonly news: number;
  readonly events: number;
  readonly answers: number;
}

/**
 * Memory of an engine with rich clients: each reads the news, follows a session and asks for pages, while the sessions
 * have one turn after the other. Beside the same turns without a client, and with one more that reads nothing
 * (PERF-04).
 */
export async function measureClients(
  place: BenchSetup,
  seconds: number = place.quick ? 4 : 15,
): Promise<readonly Row[]> {
  const home = makeHome(place);
  using server = openServer({ answer: (number) => ({ kind: "events", events: saysEvents(WORDS, number) }) });
  home.point(server.baseUrl);
  const env = { HOME: home.path, PATH: "/usr/bin:/bin", TMPDIR: home.path };
  const begin = (file: string, argument = "") =>
    startAsked(programIn(place, file, [argument]), { cwd: `${home.path}/project`, env });
  using engine = begin("served-engine.ts");
  const address = (await engine.said) as Pick<RichClients, "token" | "url"> & { readonly socket: string };
  const sessions = (await engine.ask(`create ${SESSIONS}`)) as readonly SessionId[];
  await turns(engine, sessions, seconds);
  const alone = await memoryOf(engine);
  const open = (clients: number) =>
    begin("rich-clients.ts", JSON.stringify({ ...address, sessions, clients }));
  using first = open(1); // what the engine loads and compiles for it is not a client's
  await first.said;
  await turns(engine, sessions, seconds);
  const one = await memoryOf(engine);
  using clients = open(CLIENTS - 1);
  await clients.said;
  await clients.ask("");
  let counts: Counts = { news: 0, events: 0, answers: 0 };
  const isEnough = () => Math.min(counts.news, counts.events, counts.answers) >= CLIENTS;
  for (let round = 0; round < ROUNDS_MAX && !isEnough(); round++) {
    await turns(engine, sessions, seconds);
    const { news, events, answers } = (await clients.ask("")) as Counts;
    counts = { news: counts.news + news, events: counts.events + events, answers: counts.answers + answers };
  }
  if (!isEnough()) throw new Error(`the clients had too little: ${JSON.stringify(counts)}`);
  const attached = await memoryOf(engine);
  const stalled: WatchSpec = { ...address, wire: "sse", sessions: sessions.slice(0, 1), stalled: true };
  using slow = begin("watchers.ts", JSON.stringify(stalled));
  await slow.said;
  await turns(engine, sessions, seconds);
  const beside = await memoryOf(engine);
  const row = (what: string, unit: string, value: number, aim?: number): Row => ({
    ...{ what, unit, cinch: sampled([value]), comparison: "alone" },
    ...(aim === undefined ? {} : { aim }),
  });
  return [
    row(
      `memory of an engine whose ${SESSIONS} sessions talk, without a client, from source`,
      "MiB",
      alone.pss / MIB,
    ),
    row("of it the objects in use", "MiB", alone.heap / MIB),
    row(
      `memory with ${CLIENTS} clients that read news and events and ask twice a second`,
      "MiB",
      attached.pss / MIB,
    ),
    row(`objects in use with ${CLIENTS} clients`, "MiB", attached.heap / MIB),
    row("memory for the first client, with the code for it", "MiB", (one.pss - alone.pss) / MIB),
    row("memory for each further client", "KiB", (attached.pss - one.pss) / (CLIENTS - 1) / KIB, 1_024),
    row("objects in use for each further client", "KiB", (attached.heap - one.heap) / (CLIENTS - 1) / KIB),
    row(
      "objects in use for one more client that reads nothing, while the sessions talk on",
      "KiB",
      (beside.heap - attached.heap) / KIB,
    ),
    row("news that each client has in a second", "", counts.news / (CLIENTS - 1) / seconds),
    row("events that each client has in a second", "", counts.events / (CLIENTS - 1) / seconds),
  ];
}

/** The sessions have turns, one after the other, for some seconds. */
async function turns(engine: Asked, sessions: readonly SessionId[], seconds: number): Promise<void> {
  const endMs = performance.now() + 1_000 * seconds;
  while (performance.now() < endMs) {
    for (const session of sessions) await engine.ask(`turn ${session}`);
    await Bun.sleep(100);
  }
}

/** Memory of the engine: of the process (PSS), which keeps pages for later, and of the objects in use. */
async function memoryOf(engine: Asked): Promise<{ readonly pss: number; readonly heap: number }> {
  return { pss: (await engine.ask("memory")) as number, heap: (await engine.ask("heap")) as number };
}
