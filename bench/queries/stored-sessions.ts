import { Database } from "bun:sqlite";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ResultOf } from "../../src/protocol/queries/queries.ts";
import { SEARCH_TIME_MS_MAX } from "../../src/protocol/queries/search-queries.ts";
import { track } from "../guard.ts";
import type { BenchSetup } from "../subject.ts";
import type { Asked } from "../watching.ts";
import { startAsked } from "../watching.ts";
import type { StoredSessions } from "./stored.ts";
import { ABSENT_WORD } from "./stored.ts";

/** Numbers of what is stored. */
export interface StoredSizes {
  readonly sessions: number;
  /** Events of each. */
  readonly events: number;
  /** Events of the long log. */
  readonly longEvents: number;
}

const POLL_MS = 200;
const SIZES: StoredSizes = { sessions: 10_000, events: 200, longEvents: 1_000_000 };
const SIZES_QUICK: StoredSizes = { sessions: 1_000, events: 200, longEvents: 100_000 };
const FLAGS = ["--no-install", "--no-env-file", "--config=/dev/null"];

/** Sessions in a store, and programs that read them. */
export interface StoredPrograms {
  readonly stored: StoredSessions;
  /** The database file of the store. */
  readonly path: string;
  /** Starts an engine from source, see `engine.ts`. */
  engine(): Asked;
  /** Starts a program that reads the same rows in the clear, see `bare.ts`. */
  bare(): Asked;
}

const made = new Map<string, Promise<StoredPrograms>>();

/** Stores many sessions and one long log: once for all measures of a run, and once at all with `--stored`. */
export async function storedSessions(
  place: BenchSetup,
  sizes: StoredSizes = place.quick ? SIZES_QUICK : SIZES,
): Promise<StoredPrograms> {
  const folder = place.stored ?? join(place.scratch, "stored");
  const known = made.get(folder) ?? make(place, folder, sizes);
  made.set(folder, known);
  return await known;
}

async function make(place: BenchSetup, folder: string, sizes: StoredSizes): Promise<StoredPrograms> {
  const project = join(folder, "home/project");
  const barePath = join(folder, "bare.db");
  const env = { HOME: join(folder, "home"), PATH: "/usr/bin:/bin", TMPDIR: folder };
  const program = (file: string, ...args: readonly string[]) => [
    place.bun,
    ...FLAGS,
    `--tsconfig-override=${place.root}/tsconfig.json`,
    join(place.root, "bench/queries", file),
    ...args,
  ];
  mkdirSync(join(folder, "home/.config/cinch"), { recursive: true });
  mkdirSync(project, { recursive: true });
  writeFileSync(
    join(folder, "home/.config/cinch/config.toml"),
    '[providers.bench]\nkind = "anthropic"\nbase_url = "http://127.0.0.1:9/v1"\n',
  );
  const facts = join(folder, "stored.json");
  if (!existsSync(facts)) {
    const counts = [sizes.sessions, sizes.events, sizes.longEvents].map(String);
    const argv = program("fill.ts", ...counts, barePath);
    const child = track(Bun.spawn(argv, { cwd: project, env, stdio: ["ignore", "pipe", "inherit"] }));
    const [text, code] = await Promise.all([new Response(child.stdout).text(), child.exited]);
    if (code !== 0) throw new Error(`the sessions could not be stored: ${code}`);
    writeFileSync(facts, text);
  }
  return {
    stored: JSON.parse(readFileSync(facts, "utf8")),
    path: join(folder, "home/.local/share/cinch/sessions.db"),
    engine: () => startAsked(program("engine.ts"), { cwd: project, env }),
    bare: () => startAsked(program("bare.ts", barePath), { cwd: project, env }),
  };
}

/** Searches until the answer is complete and every log is indexed. */
export async function indexAll(programs: StoredPrograms): Promise<void> {
  using running = programs.engine();
  await running.said;
  let cursor: string | undefined;
  for (;;) {
    const query = { kind: "SearchSessions", text: ABSENT_WORD, timeMs: SEARCH_TIME_MS_MAX, cursor };
    const answer = (await running.ask(JSON.stringify({ query }))) as ResultOf<"SearchSessions">;
    if (answer.complete) {
      await untilIndexed(programs);
      await running.ask(JSON.stringify({ leave: true }));
      return;
    }
    ({ cursor } = answer);
    if (cursor === undefined) throw new Error("a part of the sessions cannot be read");
  }
}

/** Waits until the long log is indexed, which goes on behind the answers of an engine that runs. */
export async function untilIndexed({ path, stored }: StoredPrograms): Promise<void> {
  const newest = "SELECT max(to_event) AS last FROM search_segments JOIN logs ON num = log WHERE log_id = ?";
  for (let indexed = 0; indexed < stored.longEvents - stored.events; ) {
    using database = new Database(path, { readonly: true });
    const row = database.query(newest).get(stored.long.logId) as { readonly last: number | null };
    indexed = row.last ?? 0;
    await Bun.sleep(POLL_MS);
  }
}
