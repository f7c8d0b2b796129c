import { join } from "node:path";
import { nowNs } from "./processes.ts";
import type { Row } from "./report.ts";
import { openServer } from "./server.ts";
import { quantile, sampled } from "./statistics.ts";
import type { BenchSetup } from "./subject.ts";
import { makeHome } from "./subject.ts";
import type { Arrival, WatchSpec, Wire } from "./watching.ts";
import { startAsked } from "./watching.ts";
import { saysEvents } from "./wire.ts";

const DELTAS_PER_SECOND = 200;
const NS_PER_MS = 1e6;
const KIB = 1024;
/** The last event of a turn. */
const LAST = "TurnEnded";
const IN_FLIGHT = 16;

/**
 * From the engine, and from the model's server, to clients of each wire; many clients, many sessions, one that
 * stalls (PERF-04).
 */
export async function measureControl(place: BenchSetup): Promise<readonly Row[]> {
  const seconds = place.quick ? 1 : 5;
  const crowd = place.quick ? 200 : 1_000;
  using bench = await openBench(place);
  const rows: Row[] = [];
  for (const wire of ["ws", "sse", "sse-unix"] as const)
    rows.push(...oneClient(wire, await bench.watch(wire, 1, seconds)));
  rows.push(...fromProvider(await bench.watch("ws", 1, seconds), await bench.watchBare(seconds)));
  rows.push(...stalled(await bench.watch("sse", 100, seconds), await bench.watch("sse", 101, seconds, true)));
  rows.push(...many(crowd, await bench.watch("ws", crowd, seconds)));
  rows.push(...(await bench.manySessions(crowd)));
  rows.push(...(await bench.requests(place.quick ? 500 : 5_000)));
  return rows;
}

/** Measurements of one run of a stream. */
interface Watched {
  /** Milliseconds from the moment an event could be read in the engine to each client that reads. */
  readonly fromEngineMs: readonly number[];
  /** Milliseconds from the model server's write of each piece to the first client. */
  readonly fromProviderMs: readonly number[];
  /** Growth of the engine once all clients had connected, in bytes. */
  readonly grownBytes: number;
}

interface Bench extends Disposable {
  watch(wire: Wire, clients: number, seconds: number, stalled?: boolean): Promise<Watched>;
  /** The delays of `fromProviderMs` where a bare relay stands between. */
  watchBare(seconds: number): Promise<readonly number[]>;
  manySessions(count: number): Promise<readonly Row[]>;
  requests(count: number): Promise<readonly Row[]>;
}

interface Address {
  readonly url: string;
  readonly socket: string;
  readonly token: string;
}

async function openBench(place: BenchSetup): Promise<Bench> {
  using undo = new DisposableStack();
  const home = makeHome(place);
  const sent: number[] = [];
  let pieces: readonly string[] = [];
  const server = undo.use(
    openServer({
      answer: (number) => ({
        kind: "paced",
        events: saysEvents(pieces, number),
        everyMs: 1_000 / DELTAS_PER_SECOND,
        onSent: () => void sent.push(nowNs()),
      }),
    }),
  );
  home.point(server.baseUrl);
  const env = { HOME: home.path, PATH: "/usr/bin:/bin", TMPDIR: home.path };
  const begin = (file: string, ...args: readonly string[]) =>
    startAsked(programIn(place, file, args), { cwd: join(home.path, "project"), env });
  const engine = undo.use(begin("served-engine.ts"));
  const address = (await engine.said) as Address;
  const relay = undo.use(begin("bare-relay.ts", server.baseUrl));
  const { url: relayUrl } = (await relay.said) as { url: string };

  /** Clients that watch, while what is begun makes its pieces. */
  async function stream(
    spec: WatchSpec,
    seconds: number,
    go: () => Promise<unknown>,
  ): Promise<readonly Arrival[][]> {
    pieces = Array.from({ length: DELTAS_PER_SECOND * seconds }, (_, at) => `[${at}] `);
    sent.length = 0;
    using clients = begin("watchers.ts", JSON.stringify(spec));
    await clients.said;
    await go();
    return (await clients.ask(LAST)) as readonly Arrival[][];
  }

  const opened = undo.move();
  return {
    async watch(wire, clients, seconds, isStalled = false) {
      const [session = ""] = (await engine.ask("create 1")) as readonly string[];
      await engine.ask(`watch ${session}`);
      const spec = {
        wire,
        ...address,
        sessions: Array.from({ length: clients }, () => session),
        stalled: isStalled,
      };
      const before = (await engine.ask("memory")) as number;
      let grownBytes = 0;
      const heard = await stream(spec, seconds, async () => {
        grownBytes = ((await engine.ask("memory")) as number) - before;
        await engine.ask("noted");
        await engine.ask(`send ${session}`);
      });
      const noted = new Map((await engine.ask("noted")) as readonly (readonly [number, number])[]);
      const readers = isStalled ? heard.slice(0, -1) : heard;
      assertWhole(readers, noted);
      const fromEngineMs = readers.flatMap((arrivals) =>
        arrivals.flatMap(({ id, atNs }) =>
          noted.has(id) ? [(atNs - (noted.get(id) ?? 0)) / NS_PER_MS] : [],
        ),
      );
      return { fromEngineMs, fromProviderMs: sinceSent(readers[0] ?? [], sent), grownBytes };
    },
    async watchBare(seconds) {
      const where = { url: relayUrl, socket: "", token: "" };
      const spec: WatchSpec = { ...where, wire: "ws", sessions: [""], stalled: false };
      const [heard = []] = await stream(spec, seconds, () => fetch(`${relayUrl}/go`));
      return sinceSent(heard, sent);
    },
    async manySessions(count) {
      const before = (await engine.ask("memory")) as number;
      const sessions = (await engine.ask(`create ${count}`)) as readonly string[];
      using clients = begin(
        "watchers.ts",
        JSON.stringify({ wire: "ws", ...address, sessions, stalled: false }),
      );
      await clients.said;
      const grown = (((await engine.ask("memory")) as number) - before) / count;
      pieces = ["That is all."];
      const fromMs = nowNs();
      const turns = sessions.map((session) => engine.ask(`send ${session}`));
      await clients.ask(LAST);
      const perTurn = (nowNs() - fromMs) / NS_PER_MS / count;
      await Promise.all(turns);
      const what = `${count.toLocaleString("en")} sessions with a client each`;
      return [
        alone(`${what}: memory of each`, "KiB", grown / KIB),
        alone(`${what}: a turn of every one, time for each`, "ms", perTurn),
      ];
    },
    async requests(count) {
      const [session = ""] = (await engine.ask("create 1")) as readonly string[];
      const headers = { "x-harness-token": address.token };
      const ours = await rate(count, `${address.url}/v1/sessions/${session}`, headers);
      const bare = await rate(count, `${relayUrl}/item`, {});
      return [
        {
          what: `REST: a session's entry, ${IN_FLIGHT} requests at a time`,
          unit: "ms",
          cinch: sampled([ours]),
          bare: sampled([bare]),
          comparison: "ratio",
        },
      ];
    },
    [Symbol.dispose]: () => opened.dispose(),
  };
}

/** Returns the command line of a program of the bench, from source. */
export function programIn(place: BenchSetup, file: string, args: readonly string[]): readonly string[] {
  const flags = [
    "--no-install",
    "--no-env-file",
    "--config=/dev/null",
    `--tsconfig-override=${place.root}/tsconfig.json`,
  ];
  return [place.bun, ...flags, join(place.root, "bench", file), ...args];
}

/** Every client has every event once, in order, until the end of the turn: what is fast and wrong is no figure. */
function assertWhole(readers: readonly (readonly Arrival[])[], noted: ReadonlyMap<number, number>): void {
  const heard = readers.map((arrivals) => {
    const last = arrivals.findIndex(({ text }) => text.includes(LAST));
    return arrivals.slice(0, last + 1).map(({ id }) => id);
  });
  const [first = []] = heard;
  const isGapless = first.every((id, at) => at === 0 || id === (first[at - 1] ?? 0) + 1);
  if (!isGapless || first.length === 0) throw new Error("a client missed an event, or had one twice");
  if (heard.some((ids) => ids.join() !== first.join())) throw new Error("clients heard different things");
  if (!first.every((id) => noted.has(id))) throw new Error("a client heard what the engine did not have");
}

/** The first piece that the server wrote counts from its own event, which the frame of the answer precedes. */
function sinceSent(arrivals: readonly Arrival[], sent: readonly number[]): readonly number[] {
  return arrivals.flatMap(({ text, atNs }) =>
    [...text.matchAll(/\[(\d+)\]/g)].map(
      ([, at]) => (atNs - (sent[Number(at) + FRAME_EVENTS] ?? atNs)) / NS_PER_MS,
    ),
  );
}

/** Events before the first piece of an answer: the message's start and the block's. */
const FRAME_EVENTS = 2;

async function rate(count: number, url: string, headers: Record<string, string>): Promise<number> {
  let remaining = count;
  const lane = async () => {
    while (remaining > 0) {
      remaining -= 1;
      const answer = await fetch(url, { headers });
      if (answer.status !== 200) throw new Error(`${url}: ${answer.status}`);
      await answer.text();
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, lane)); // warm
  remaining = count;
  const from = nowNs();
  await Promise.all(Array.from({ length: IN_FLIGHT }, lane));
  return (nowNs() - from) / NS_PER_MS / count;
}

function oneClient(wire: Wire, { fromEngineMs }: Watched): readonly Row[] {
  const over = { ws: "WebSocket", sse: "server-sent events", "sse-unix": "the same on the Unix socket" }[
    wire
  ];
  return [
    {
      ...alone(
        `event to client, ${over}: median, at ${DELTAS_PER_SECOND} deltas/s`,
        "ms",
        quantile(fromEngineMs, 0.5),
      ),
      aim: 1,
    },
    { ...alone(`event to client, ${over}: 99th percentile`, "ms", quantile(fromEngineMs, 0.99)), aim: 10 },
  ];
}

function fromProvider(ours: Watched, bare: readonly number[]): readonly Row[] {
  const of = (what: string, figure: (each: readonly number[]) => number, aim?: number): Row => ({
    what: `from the provider's byte to the client: ${what}`,
    unit: "ms",
    cinch: sampled([figure(ours.fromProviderMs)]),
    bare: sampled([figure(bare)]),
    comparison: "difference",
    ...(aim === undefined ? {} : { aim }),
  });
  return [
    of("the first piece of a block", ([first = Number.NaN]) => first, 5),
    of("later ones, median", (all) => quantile(all.slice(1), 0.5)),
    of("later ones, 99th percentile", (all) => quantile(all.slice(1), 0.99), 20),
  ];
}

function stalled(without: Watched, beside: Watched): readonly Row[] {
  return [
    {
      what: "event to 100 clients, 99th percentile, with one more that reads nothing, beside without",
      unit: "ms",
      cinch: sampled([quantile(beside.fromEngineMs, 0.99)]),
      bare: sampled([quantile(without.fromEngineMs, 0.99)]),
      comparison: "difference",
    },
  ];
}

function many(count: number, ours: Watched): readonly Row[] {
  const what = `one session watched by ${count.toLocaleString("en")} clients`;
  return [
    alone(`${what}: event to client, median`, "ms", quantile(ours.fromEngineMs, 0.5)),
    alone(`${what}: event to client, 99th percentile`, "ms", quantile(ours.fromEngineMs, 0.99)),
    alone(`${what}: memory of each`, "KiB", ours.grownBytes / count / KIB),
  ];
}

function alone(what: string, unit: string, value: number): Row {
  return { what, unit, cinch: sampled([value]), comparison: "alone" };
}
