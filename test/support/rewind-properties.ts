import { join } from "node:path";
import * as fc from "fast-check";
import type { CheckpointRig } from "./checkpoint-rig.ts";
import { openCheckpointRig, shell, treeOf } from "./checkpoint-rig.ts";

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
