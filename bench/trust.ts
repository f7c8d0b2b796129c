import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SILENT_LOG } from "../src/base/log.ts";
import { encode } from "../src/base/text/text.ts";
import { trustFile } from "../src/guard/trust/ledger/item.ts";
import { TrustLedger } from "../src/guard/trust/ledger/ledger.ts";
import { hostWorld } from "../src/platform/host.ts";
import { scanForInjection } from "../src/safety/injection/injection-scan.ts";
import type { Row } from "./report.ts";
import { firstRequestMs } from "./start.ts";
import { sampled } from "./statistics.ts";
import type { BenchSetup, Home } from "./subject.ts";
import { cinchPrompt, makeHome } from "./subject.ts";

/** Measures the review of a project's files and the injection scanner (TOFU-01, TOFU-03). */
export async function measureTrust(place: BenchSetup): Promise<readonly Row[]> {
  return [...(await measureLedger(place)), ...measureScanner(place)];
}

/** An acknowledged AGENTS.md of a usual length, beside a project that says nothing. */
async function measureLedger(place: BenchSetup): Promise<readonly Row[]> {
  const [silent, speaking] = [makeHome(place), makeHome(place)];
  await acknowledge(speaking);
  const times = { silent: [] as number[], speaking: [] as number[] };
  for (let run = 0; run <= (place.quick ? 8 : 25); run++) {
    const silentMs = await firstRequestMs(silent, () => cinchPrompt(place));
    const speakingMs = await firstRequestMs(speaking, () => cinchPrompt(place));
    if (run === 0) continue; // the session stores are made
    times.silent.push(silentMs);
    times.speaking.push(speakingMs);
  }
  const what = "start to first request with an acknowledged AGENTS.md, beside none (both cinch)";
  const [cinch, bare] = [sampled(times.speaking), sampled(times.silent)];
  return [{ what, unit: "ms", cinch, bare, comparison: "difference", aim: 10 }];
}

async function acknowledge(home: Home): Promise<void> {
  const world = hostWorld(SILENT_LOG);
  const text = "Prefer short functions, and say why in comments.\n".repeat(160);
  const path = join(await world.files.realpath(join(home.path, "project")), "AGENTS.md");
  writeFileSync(path, text, { mode: 0o644 });
  const ledger = await TrustLedger.open(world, join(home.path, ".config/cinch/approved.lock"));
  const files = [trustFile("", encode(text), 0o644)];
  await ledger.approve([{ kind: "context-file", path, scope: "project", files }]);
}

interface Sample {
  readonly kind: string;
  readonly text: string;
}

function measureScanner({ root, quick }: BenchSetup): readonly Row[] {
  const data = join(root, "test/data");
  const attacks = samples(join(data, "injection/attacks.jsonl"));
  const files = [...new Bun.Glob("{agents-md,skills}/*/**/*.md").scanSync(data)].map((name) =>
    readFileSync(join(data, name), "utf8"),
  );
  const ordinary = [...samples(join(data, "injection/benign.jsonl")).map(({ text }) => text), ...files];
  const of = (kinds: RegExp) => attacks.filter(({ kind }) => kinds.test(kind)).map(({ text }) => text);
  const missed = (what: string, texts: readonly string[], aim?: number): Row => ({
    what: `injection scanner, missed: ${what} (${texts.length})`,
    unit: "%",
    cinch: sampled([100 - flagged(texts)]),
    comparison: "alone",
    ...(aim === undefined ? {} : { aim }),
  });
  return [
    missed("hidden characters and markup", of(/^(?:hidden|scanner-case\/unicode)/), 0),
    missed("forged markers", of(/^breakout/), 0),
    missed("in quoted material", of(/^indirect/)),
    missed("spoken as the user", of(/^direct/)),
    {
      what: `injection scanner, false alarms on ordinary text and real files (${ordinary.length})`,
      unit: "%",
      cinch: sampled([flagged(ordinary)]),
      comparison: "alone",
      aim: 1,
    },
    {
      what: "injection scanner, time for a MiB of real files",
      unit: "ms",
      cinch: sampled(Array.from({ length: quick ? 3 : 10 }, () => scanMs(files))),
      comparison: "alone",
    },
  ];
}

function samples(path: string): readonly Sample[] {
  const lines = readFileSync(path, "utf8").trim().split("\n");
  return lines.map((line): Sample => JSON.parse(line));
}

/** In percent. */
function flagged(texts: readonly string[]): number {
  return (100 * texts.filter((text) => scanForInjection(text).length > 0).length) / texts.length;
}

function scanMs(files: readonly string[]): number {
  const startMs = performance.now();
  for (const text of files) scanForInjection(text);
  const units = files.reduce((sum, text) => sum + text.length, 0);
  return ((performance.now() - startMs) * 1_048_576) / units;
}
