import { openHarness } from "../src/app/harness.ts";
import { PROGRAM_FEATURES } from "../src/app/plan/feature-set.ts";
import { openControlPlane } from "../src/app/serving/control-plane.ts";
import type { SessionId } from "../src/base/ids.ts";
import { SILENT_LOG } from "../src/base/log.ts";
import { hostWorld } from "../src/platform/host.ts";
import { PROTOCOL_VERSION } from "../src/protocol/version.ts";
import { cpuMs, treePssBytes } from "./processes.ts";

/**
 * Measures what the news of many sessions with fast turns cost an engine: processor time and length of its turns
 * without a reader, and with readers over server-sent events, of which some take nothing. Prints JSON lines.
 *
 *     HOME=$(mktemp -d) sh scripts/bun.sh bench/news.ts SESSIONS READERS SECONDS
 *
 * A process of its own reads. HOME is a folder that may be written.
 */
const REST_MS = 500; // of a session between two turns
const [role = "", ...words] = Bun.argv.slice(2);
if (role === "read") await read(words);
else await measure(Number(role), Number(words[0]), Number(words[1]));

interface Phase {
  readonly readers: number;
  readonly stalled: number;
}

async function measure(sessions: number, readers: number, seconds: number): Promise<void> {
  const home = process.env["HOME"] ?? "";
  await using plane = await openControlPlane(
    {
      world: hostWorld(SILENT_LOG),
      paths: { config: `${home}/config`, data: `${home}/data`, state: `${home}/state` },
      workingDir: home,
      profile: "conformance",
      features: PROGRAM_FEATURES,
      wishes: {
        autoApprove: false,
        strictPermissions: false,
        attended: false,
        environment: { HOME: home, PATH: "/usr/bin:/bin" },
      },
      targets: [{ kind: "loopback", hostname: "127.0.0.1", port: 0 }],
    },
    openHarness,
    new AbortController().signal,
  );
  const connection = await plane.harness.attach({ identityClass: "human", label: "bench" });
  await connection.handshake(PROTOCOL_VERSION);
  const token = plane.authority.mint({ identityClass: "human" }, "engine");
  const url = plane.addresses.find((address) => address.startsWith("http://127.0.0.1")) ?? "";
  const ids: SessionId[] = [];
  for (let at = 0; at < sessions; at++) {
    const { sessionId } = await connection.send({ kind: "CreateSession", profile: "conformance" });
    if (sessionId !== undefined) ids.push(sessionId);
  }
  /** Turns one after the other in each session, with a rest between them; returns their milliseconds. */
  const talk = async (untilMs: number): Promise<readonly number[]> => {
    const lengths: number[] = [];
    const lane = async (sessionId: SessionId) => {
      const stop = new AbortController();
      const events = connection.subscribe(sessionId, { signal: stop.signal })[Symbol.asyncIterator]();
      while (performance.now() < untilMs) {
        const startMs = performance.now();
        await connection.send({
          kind: "SendInput",
          sessionId,
          content: [{ type: "text", text: "cue:say yes" }],
        });
        for (let next = await events.next(); next.value?.kind !== "TurnEnded"; next = await events.next())
          if (next.done === true) throw new Error("the session ended");
        lengths.push(performance.now() - startMs);
        await Bun.sleep(REST_MS);
      }
      stop.abort();
      await events.return?.();
    };
    await Promise.all(ids.map(lane));
    return lengths;
  };
  await talk(performance.now() + 2_000); // warm
  for (const phase of [
    { readers: 0, stalled: 0 },
    { readers, stalled: 0 },
    { readers: 0, stalled: 0 },
    { readers: 0, stalled: readers },
  ]) {
    const child = openReaders(url, token, phase);
    await child.ready;
    Bun.gc(true);
    const [beforeMs, beforeBytes] = [cpuMs(process.pid), treePssBytes(process.pid) - child.bytes()];
    const lengths = (await talk(performance.now() + 1_000 * seconds)).toSorted((a, b) => a - b);
    const spentMs = cpuMs(process.pid) - beforeMs;
    Bun.gc(true);
    const grewBytes = treePssBytes(process.pid) - child.bytes() - beforeBytes;
    const items = await child.end();
    console.log(
      JSON.stringify({
        ...phase,
        turns: lengths.length,
        turnsPerSecond: Math.round(lengths.length / seconds),
        cpuPercent: Math.round(spentMs / (10 * seconds)),
        cpuMsPerTurn: Number((spentMs / lengths.length).toFixed(3)),
        turnMsMedian: Number(lengths[Math.floor(lengths.length / 2)]?.toFixed(2)),
        turnMs95: Number(lengths[Math.floor(lengths.length * 0.95)]?.toFixed(2)),
        itemsPerSecond: Math.round(items / seconds),
        grewMiB: Number((grewBytes / 1_048_576).toFixed(1)),
      }),
    );
  }
}

function openReaders(url: string, token: string, { readers, stalled }: Phase) {
  if (readers + stalled === 0) return { ready: Promise.resolve(), bytes: () => 0, end: async () => 0 };
  const child = Bun.spawn(
    [process.execPath, import.meta.path, "read", url, token, `${readers}`, `${stalled}`],
    {
      stdin: "pipe",
      stdout: "pipe",
      stderr: "inherit",
    },
  );
  const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  return {
    ready: lines.read().then(() => undefined),
    bytes: () => treePssBytes(child.pid),
    async end() {
      child.stdin.end();
      const { value = "0" } = await lines.read();
      await child.exited;
      return Number(value);
    },
  };
}

/** Reads news until standard input ends and prints how many items came. A stalled reader takes the first piece. */
async function read([url = "", token = "", readers = "0", stalled = "0"]: readonly string[]): Promise<void> {
  let items = 0;
  const opened = Array.from({ length: Number(readers) + Number(stalled) }, async (_, at) => {
    const headers = { "x-harness-token": token, "x-harness-version": PROTOCOL_VERSION };
    const answer = await fetch(`${url}/v1/news`, { headers });
    const reader = answer.body?.getReader();
    await reader?.read();
    if (at < Number(stalled)) return;
    void (async () => {
      for (let next = await reader?.read(); next?.done === false; next = await reader?.read())
        items += new TextDecoder().decode(next.value).split("\n\n").length - 1;
    })();
  });
  await Promise.all(opened);
  console.log("ready");
  for await (const _ of process.stdin);
  console.log(items);
  process.exit(0);
}
