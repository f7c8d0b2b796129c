import { execFileSync } from "node:child_process";
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SILENT_LOG } from "../src/base/log.ts";
import { CheckpointStore } from "../src/features/checkpoints/store/checkpoint-store.ts";
import { Tracker } from "../src/features/checkpoints/tracking/tracker.ts";
import { hostTree } from "../src/platform/files/tree.ts";
import { hostWorld } from "../src/platform/host.ts";
import type { Row } from "./report.ts";
import { sampled } from "./statistics.ts";
import type { BenchSetup } from "./subject.ts";

const [PACKAGES, MODULES, FILES] = [20, 50, 20];
const COLD_MS_MAX = 150;
const WARM_MS_MAX = 40;
const [COLD_LOOKS, WARM_LOOKS] = [5, 15];

/**
 * Measures the check of a repository of 20,000 files, from source in this process, beside a bare script that asks for
 * the stat of each (SES-15). Cold: nothing is known of it but what the system's own caches hold; warm: the next look.
 */
export async function measureCheckpoint({ quick }: Pick<BenchSetup, "quick">): Promise<readonly Row[]> {
  const root = mkdtempSync(join(tmpdir(), "cinch-bench-tree-"));
  try {
    makeRepository(root);
    const bare = new Took();
    const [cold, warm, first] = [new Took(), new Took(), new Took()];
    for (let look = 0; look < (quick ? 2 : COLD_LOOKS); look += 1) {
      await bare.add(() => bareWalk(root));
      const store = `${root}-store-${look}`;
      const tracker = await openTracker(root, store);
      const { signal } = new AbortController();
      await cold.add(() => tracker.scan("user", signal));
      await first.add(() => tracker.record("before", 1, signal));
      for (let again = 0; again < WARM_LOOKS / COLD_LOOKS; again += 1) {
        await warm.add(() => tracker.scan("user", signal));
      }
      rmSync(store, { recursive: true, force: true });
    }
    return [
      row("checkpoint: first look at 20,000 files", { values: cold.ms, bare: bare.ms, aim: COLD_MS_MAX }),
      row("checkpoint: the first look, processor time", { values: cold.cpuMs, bare: bare.cpuMs }),
      row("checkpoint: every further look", { values: warm.ms, bare: bare.ms, aim: WARM_MS_MAX }),
      row("checkpoint: a further look, processor time", { values: warm.cpuMs, bare: bare.cpuMs }),
      row("checkpoint: writing the first record, before the first change", { values: first.ms }),
    ];
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

async function openTracker(root: string, folder: string): Promise<Tracker> {
  const world = hostWorld(SILENT_LOG);
  const { files, random } = world;
  const store = await CheckpointStore.open({
    files,
    random,
    folder,
    key: new Uint8Array(32),
    log: "bench",
    root,
  });
  return await Tracker.open({
    world,
    files,
    tree: hostTree,
    root,
    exclude: [],
    scope: "all",
    configFiles: [],
    store,
    room: () => Promise.resolve(Number.MAX_SAFE_INTEGER),
    lastEvent: () => Promise.resolve(1),
  });
}

function makeRepository(root: string): void {
  for (let folder = 0; folder < PACKAGES * MODULES; folder += 1) {
    const path = join(root, `package-${folder % PACKAGES}`, `module-${Math.floor(folder / PACKAGES)}`, "src");
    mkdirSync(path, { recursive: true });
    for (let file = 0; file < FILES; file += 1) {
      writeFileSync(join(path, `file-${file}.ts`), `export const value${file} = ${folder};\n`.repeat(40));
    }
  }
  const options = {
    cwd: root,
    env: { PATH: process.env["PATH"] ?? "", HOME: root, GIT_CONFIG_NOSYSTEM: "1" },
  };
  execFileSync("git", ["init", "-q", "."], options);
  execFileSync("git", ["add", "-A"], options);
  // As an hour later: what was written in the moment of the index cannot be told from a later change.
  const later = Date.now() / 1_000 + 3_600;
  utimesSync(join(root, ".git", "index"), later, later);
}

/** Walks a tree as a bare script would that checks for changes. */
function bareWalk(root: string): number {
  let newest = 0;
  const open = [root];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) {
        if (entry.name !== ".git") open.push(path);
      } else newest = Math.max(newest, lstatSync(path).mtimeMs);
    }
  }
  return newest;
}

/** Durations of some work, in wall-clock time and processor time of this process. */
class Took {
  readonly ms: number[] = [];
  readonly cpuMs: number[] = [];

  async add(work: () => unknown): Promise<void> {
    const [start, cpu] = [performance.now(), process.cpuUsage()];
    await work();
    const { user, system } = process.cpuUsage(cpu);
    this.ms.push(performance.now() - start);
    this.cpuMs.push((user + system) / 1_000);
  }
}

interface Measured {
  readonly values: readonly number[];
  readonly bare?: readonly number[];
  readonly aim?: number;
}

function row(what: string, { values, bare, aim }: Measured): Row {
  return {
    what,
    unit: "ms",
    cinch: sampled(values),
    ...(bare === undefined ? {} : { bare: sampled(bare) }),
    comparison: "alone",
    ...(aim === undefined ? {} : { aim }),
  };
}
