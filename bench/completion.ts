import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ResultOf } from "../src/protocol/queries/queries.ts";
import { programIn } from "./control.ts";
import type { Row } from "./report.ts";
import { quantile, sampled } from "./statistics.ts";
import type { BenchSetup } from "./subject.ts";
import { makeHome } from "./subject.ts";
import type { Asked } from "./watching.ts";
import { startAsked } from "./watching.ts";

const FOLDERS = 500;
const FILES = 50_000;
const KEY_MS_MAX = 20;
const WORDS =
  "account button cache dialog editor filter graph handler index job kernel loader menu node".split(" ");
/** Typed key by key, each of them twice. */
const TYPED = ["btnhand", "editor/fil", "main", "cachegraph42", "zzzz"];

/**
 * Completion of files behind an at sign in a workspace of 50,000 files beside as many ignored ones (CTL-19): the first
 * key, for which they are listed, and later ones. Beside a script that walks the folders once, and looks at each path
 * for each key.
 */
export async function measureCompletion(
  place: BenchSetup,
  files: number = place.quick ? FILES / 10 : FILES,
): Promise<readonly Row[]> {
  const home = makeHome(place);
  const project = join(home.path, "project");
  makeFiles(project, files);
  home.point("http://127.0.0.1:9/v1");
  const first: number[] = [];
  const keys: number[] = [];
  for (let process = 0; process < (place.quick ? 1 : 3); process++) {
    const env = { HOME: home.path, PATH: "/usr/bin:/bin", TMPDIR: home.path };
    using engine = startAsked(programIn(place, "queries/engine.ts", []), { cwd: project, env });
    const { session } = (await engine.said) as { readonly session: string };
    first.push(await key(engine, session, ""));
    for (const typed of [...TYPED, ...TYPED])
      for (let end = 1; end <= typed.length; end++)
        keys.push(await key(engine, session, typed.slice(0, end)));
    await assertFound(engine, session);
  }
  const bare = bareTimes(project);
  const what = `completion among ${files.toLocaleString("en")} files`;
  const row = (part: string, cinch: readonly number[], beside?: readonly number[], aim?: number): Row => ({
    ...{ what: `${what}: ${part}`, unit: "ms", cinch: sampled(cinch), comparison: "alone" },
    ...(beside === undefined ? {} : { bare: sampled(beside) }),
    ...(aim === undefined ? {} : { aim }),
  });
  return [
    row("the first key of a process, which lists them", first, bare.first),
    row("each further key", keys, bare.keys, KEY_MS_MAX),
    row("95th percentile of them", [quantile(keys, 0.95)], [quantile(bare.keys, 0.95)], KEY_MS_MAX),
  ];
}

async function key(engine: Asked, sessionId: string, typed: string): Promise<number> {
  const query = { kind: "Complete", sessionId, text: `@${typed}`, cursor: typed.length + 1 };
  const [ms = Number.NaN] = (await engine.ask(JSON.stringify({ query, runs: 1 }))) as readonly number[];
  return ms;
}

/** Throws if nothing is found, or an ignored file is: the figures of such a run mean nothing. */
async function assertFound(engine: Asked, sessionId: string): Promise<void> {
  const query = { kind: "Complete", sessionId, text: "@btnhand", cursor: 8 };
  const { items } = (await engine.ask(JSON.stringify({ query }))) as ResultOf<"Complete">;
  if (items.length === 0 || items.some(({ insert }) => insert.includes("ignored")))
    throw new Error("the completion has not found what it should");
}

/** Makes files in folders, and as many that `.gitignore` names. */
function makeFiles(project: string, files: number): void {
  writeFileSync(join(project, ".gitignore"), "ignored/\n");
  mkdirSync(join(project, ".git"));
  for (const top of ["src", "ignored"])
    for (let folder = 0; folder < FOLDERS; folder++) {
      const [first, second] = [
        WORDS[folder % WORDS.length],
        WORDS[Math.floor(folder / WORDS.length) % WORDS.length],
      ];
      const path = join(project, top, `${first}-${second}-${folder}`);
      mkdirSync(path, { recursive: true });
      for (let file = 0; file < files / FOLDERS; file++)
        writeFileSync(join(path, `${WORDS[(file * 7) % WORDS.length]}-${file}.ts`), "");
    }
}

/** Reads the folders, and finds the paths that have the letters in order. Nothing is ranked, ignored or judged. */
function bareTimes(project: string): { readonly first: readonly number[]; readonly keys: readonly number[] } {
  let startMs = performance.now();
  const paths = readdirSync(join(project, "src"), { recursive: true, encoding: "utf8" });
  const first = [performance.now() - startMs];
  const keys: number[] = [];
  for (const typed of TYPED)
    for (let end = 1; end <= typed.length; end++) {
      startMs = performance.now();
      const letters = typed.slice(0, end);
      paths.filter((path) => hasInOrder(path, letters));
      keys.push(performance.now() - startMs);
    }
  return { first, keys };
}

function hasInOrder(path: string, letters: string): boolean {
  let at = -1;
  for (const letter of letters) {
    at = path.indexOf(letter, at + 1);
    if (at === -1) return false;
  }
  return true;
}
