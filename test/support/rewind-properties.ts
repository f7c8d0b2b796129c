import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import type { LogId, SessionId } from "../../src/base/ids.ts";
import { getChanges } from "../../src/features/checkpoints/changes/get-changes.ts";
import type { QueryOf, ResultOf } from "../../src/protocol/queries/queries.ts";
import type { LogInfo } from "../../src/session/store/store.ts";
import type { CheckpointRig } from "./checkpoint-rig.ts";
import { openCheckpointRig, shell, treeOf } from "./checkpoint-rig.ts";
import { temporaryDirectory } from "./world.ts";

/**
 * Names that commands have trouble with: a line end, no UTF-8, a leading dash, what git and ignore files treat apart.
 */
const NAMES = ["a", "b", "d", "e f", "n\\nl", "\\xff\\xfe", "-x", ".env", "ü", "*", "x.o"] as const;

const name = fc.constantFrom(...NAMES).map((text) => `$'${text}'`);
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join("/"));
const mode = fc.constantFrom("600", "644", "755", "640", "700");
const text = fc.constantFrom("", "one", "two\\n", "\\0\\x80", "long ".repeat(50));

/** A shell command that changes something; one that cannot be carried out changes nothing. */
const change = fc.oneof(
  fc
    .tuple(path, text)
    .map(
      ([at, what]) =>
        `mkdir -p -- ./${at} 2>/dev/null && rmdir -- ./${at} 2>/dev/null; printf '${what}' > ./${at}`,
    ),
  fc.tuple(path, text).map(([at, what]) => `printf '${what}' >> ./${at}`),
  path.map((at) => `rm -rf -- ./${at}`),
  path.map((at) => `mkdir -p -- ./${at}`),
  fc.tuple(path, path).map(([from, to]) => `mv -T -- ./${from} ./${to}`),
  fc.tuple(path, path).map(([to, at]) => `ln -sfn -- ${to} ./${at}`),
  fc.tuple(path, mode).map(([at, bits]) => `[ -L ./${at} ] || chmod ${bits} -- ./${at}`),
  fc.tuple(path, path).map(([from, to]) => `cp -a -- ./${from} ./${to}`),
);
const changes = fc.array(change, { minLength: 1, maxLength: 8 });
/** Directories without our rights could not be looked into by anybody. */
const READABLE = "find . -name .git -prune -o -type d ! -perm -700 -exec chmod u+rwx {} +";

function script(lines: readonly string[]): string {
  return [...lines.map((line) => `{ ${line}; } 2>/dev/null`), READABLE, "true"].join("\n");
}

const workspace = { git: fc.boolean(), ignore: fc.boolean(), first: changes };
const order = fc.array(fc.nat(), { minLength: 1, maxLength: 4 });

/** Each turn's start and end can be had back, to the last bit, and nothing of git's own changes by that. */
export function setsBack(): fc.IAsyncProperty<unknown> {
  const scenario = fc.record({
    ...workspace,
    turns: fc.array(fc.array(changes, { minLength: 1, maxLength: 2 }), { minLength: 1, maxLength: 3 }),
    reopen: fc.boolean(),
    order,
  });
  return fc.asyncProperty(scenario, async ({ turns, reopen, order, ...made }) => {
    await using rig = await openCheckpointRig({ git: made.git });
    const { root } = rig;
    makeWorkspace(rig, made);
    const gitBefore = made.git ? gitState(root) : "";
    const seen = [];
    for (const commands of turns) {
      const before = treeOf(root);
      const { start, end } = await rig.turn(...commands.map(script));
      seen.push({ at: start, tree: before }, { at: end, tree: treeOf(root) });
      if (reopen) await rig.reopen();
    }
    for (const number of order) {
      const target = pick(seen, number);
      const { kept, notRestorable } = await rig.rewind(target.at);
      assertSame({ kept, notRestorable }, { kept: [], notRestorable: [] });
      assertSame(treeOf(root), target.tree);
    }
    if (made.git) assertSame(gitState(root), gitBefore);
  });
}

/**
 * With somebody else at work between the turns: what they changed stays to the last bit, and where a person says that
 * it may go too, each turn's start and end can be restored.
 */
export function sparesOthers(): fc.IAsyncProperty<unknown> {
  const turn = fc.record({ calls: changes, others: fc.option(changes, { nil: [] }) });
  const scenario = fc.record({
    ...workspace,
    turns: fc.array(turn, { minLength: 1, maxLength: 3 }),
    reopen: fc.boolean(),
    target: fc.nat(),
    order,
  });
  return fc.asyncProperty(scenario, async ({ turns, reopen, target, order, ...made }) => {
    await using rig = await openCheckpointRig({ git: made.git });
    const { root } = rig;
    makeWorkspace(rig, made);
    const seen = [];
    const foreign: ReadonlySet<string>[] = [];
    for (const { calls, others } of turns) {
      const before = treeOf(root);
      const { start, end } = await rig.turn(script(calls));
      const after = treeOf(root);
      seen.push({ at: start, tree: before }, { at: end, tree: after });
      rig.outside(script(others));
      foreign.push(differing(after, treeOf(root)));
      if (reopen) await rig.reopen();
    }
    const chosen = target % seen.length;
    const theirs = foreign.slice(Math.floor(chosen / 2)).flatMap((paths) => [...paths]);
    const before = treeOf(root);
    await rig.rewind(pick(seen, chosen).at);
    const after = treeOf(root);
    for (const path of theirs) {
      // A folder that they removed may come again, where a file of the calls was in it.
      if (before[path] === undefined && after[path]?.startsWith("d ") === true) continue;
      assertSame({ [path]: after[path] }, { [path]: before[path] });
    }
    for (const number of order) {
      const { at, tree } = pick(seen, number);
      await rig.rewind(at, ["contested", "foreign"]);
      assertSame(treeOf(root), tree);
    }
  });
}

/**
 * The changes of each call and turn, applied by git to the files as they were before, make the files as they were
 * after; those of the session make the last files of the first ones.
 */
export function showsChanges(): fc.IAsyncProperty<unknown> {
  const scenario = fc.record({
    ...workspace,
    turns: fc.array(fc.array(changes, { minLength: 1, maxLength: 2 }), { minLength: 1, maxLength: 3 }),
    reopen: fc.boolean(),
    context: fc.nat(4),
  });
  return fc.asyncProperty(scenario, async ({ turns, reopen, context, ...made }) => {
    await using rig = await openCheckpointRig({ git: made.git });
    const { root } = rig;
    makeWorkspace(rig, made);
    await using copies = temporaryDirectory("cinch-copies-");
    const copy = (name: string) =>
      shell(copies.path, `cp -a ${root} ${name} && rm -rf ${name}/.git && chmod -R u+rwX ${name}`);
    copy("first");
    for (const [index, commands] of turns.entries()) {
      copy(`before${index}`);
      await rig.turn(...commands.map(script));
      copy(`after${index}`);
      if (reopen) await rig.reopen();
    }
    const applied = async (asked: Partial<QueryOf<"GetChanges">>, from: string, to: string) => {
      const { files, complete, missing } = await changesIn(rig, { ...asked, context });
      assertSame({ complete, missing }, { complete: true, missing: undefined });
      assertPatched(copies.path, { from, to, files });
    };
    for (const index of turns.keys()) await applied({ turn: index + 1 }, `before${index}`, `after${index}`);
    await applied({}, "first", `after${turns.length - 1}`);
    const binary: ChangedFiles[number][] = [];
    for (const callId of rig.calls.slice(0, turns[0]?.length)) {
      const { files } = await changesIn(rig, { callId, context });
      binary.push(...files.filter((file) => file.binary));
      patch(copies.path, "first", files);
    }
    assertSameFiles(copies.path, "first", "after0", binary);
  });
}

/** The end of each turn lists the files that GetChanges shows of it, whoever changed files between and before. */
export function listsFiles(): fc.IAsyncProperty<unknown> {
  const scenario = fc.record({
    ...workspace,
    turns: fc.array(
      fc.record({ before: fc.option(changes), commands: fc.array(changes, { minLength: 1, maxLength: 3 }) }),
      { minLength: 1, maxLength: 4 },
    ),
    reopen: fc.boolean(),
  });
  return fc.asyncProperty(scenario, async ({ turns, reopen, ...made }) => {
    await using rig = await openCheckpointRig({ git: made.git });
    makeWorkspace(rig, made);
    for (const [index, { before, commands }] of turns.entries()) {
      if (before !== null) rig.outside(script(before));
      const { files } = await rig.turn(...commands.map(script));
      if (reopen) await rig.reopen();
      assertSame(files, filesOf(await changesIn(rig, { turn: index + 1 })));
    }
  });
}

/** Returns the names that an answer to GetChanges has, sorted: of a renamed file both. */
export function filesOf({ files }: ResultOf<"GetChanges">): readonly string[] {
  return files.flatMap(({ path, from }) => (from === undefined ? [path] : [path, from])).toSorted();
}

/** Answers GetChanges about a rig, whose log has no event. */
export async function changesIn(
  { checkpoints }: CheckpointRig,
  query: Partial<QueryOf<"GetChanges">>,
): Promise<ResultOf<"GetChanges">> {
  const { signal } = new AbortController();
  const source = await checkpoints.changeSource(signal);
  const sessions = {
    find: () => Promise.resolve({ turns: 1_000, lastEvent: 0 } as unknown as LogInfo),
    expired: () => Promise.resolve([]),
    eventsBefore: () => Promise.resolve([]),
  };
  const asked = { kind: "GetChanges", sessionId: "sess_x" as SessionId, ...query } as const;
  const logId = "log_x" as LogId;
  return await getChanges(
    asked,
    { source, sessions, logId, redact: (text) => text, isHidden: () => false },
    signal,
  );
}

type ChangedFiles = ResultOf<"GetChanges">["files"];

function assertPatched(
  folder: string,
  { from, to, files }: { readonly from: string; readonly to: string; readonly files: ChangedFiles },
): void {
  shell(folder, `rm -rf patched && cp -a ${from} patched`);
  patch(folder, "patched", files);
  assertSameFiles(folder, "patched", to, files);
}

function patch(folder: string, at: string, files: ChangedFiles): void {
  const text = files.map(({ unified = "" }) => unified).join("");
  writeFileSync(join(folder, "patch"), text);
  // git knows no empty folder, and writes no file in place of one.
  shell(folder, `find ${at} -mindepth 1 -depth -type d -empty -delete`);
  if (text !== "")
    shell(
      folder,
      `cd ${at} && GIT_CEILING_DIRECTORIES=.. git apply --unidiff-zero --whitespace=nowarn ../patch`,
    );
}

/** Compares files and links. A patch knows no folders, no binary content, and of permissions one bit. */
function assertSameFiles(folder: string, a: string, b: string, files: ChangedFiles = []): void {
  const binary = new Set(files.flatMap((file) => (file.binary ? [file.path, file.from ?? ""] : [])));
  const known = (name: string) =>
    Object.entries(treeOf(join(folder, name))).flatMap(([path, node]) => {
      const [kind, mode = "", hash] = node.split(" ");
      const shown = Buffer.from(path, "latin1").toString("utf8");
      if (kind === "d" || binary.has(shown)) return [];
      return [[path, kind === "l" ? node : `${(Number.parseInt(mode, 8) & 0o100) !== 0} ${hash}`]];
    });
  assertSame(Object.fromEntries(known(a)), Object.fromEntries(known(b)));
}

interface Made {
  readonly git: boolean;
  readonly ignore: boolean;
  readonly first: readonly string[];
}

function makeWorkspace({ root }: CheckpointRig, { git, ignore, first }: Made): void {
  shell(root, script(first));
  if (ignore) shell(root, "rm -rf .gitignore; printf '*.o\\nd/\\n' > .gitignore");
  if (!git) return;
  shell(
    root,
    "git add -A . && git commit -qm x --allow-empty && touch -d '+1 second' .git/index; printf dirty >> a || true",
  );
}

function pick<Item>(items: readonly Item[], number: number): Item {
  const item = items[number % items.length];
  if (item === undefined) throw new Error("there is none to pick");
  return item;
}

type Seen = Readonly<Record<string, string>>;

function differing(a: Seen, b: Seen): ReadonlySet<string> {
  return new Set([...Object.keys(a), ...Object.keys(b)].filter((path) => a[path] !== b[path]));
}

/** Everything of git's own folder. */
function gitState(root: string): string {
  return shell(join(root, ".git"), "find . -type f -exec sha256sum {} + | sort");
}

function assertSame(found: unknown, wanted: unknown): void {
  if (!Bun.deepEquals(found, wanted, true))
    throw new Error(`${JSON.stringify(found)} in place of ${JSON.stringify(wanted)}`);
}
