import { expect, test } from "bun:test";
import { join } from "node:path";
import * as fc from "fast-check";
import { openCheckpointRig, shell, treeOf } from "../../test/support/checkpoint-rig.ts";
import { holds } from "../../test/support/property.ts";

/** Kept small here: a run takes some 80 ms. */
const RUNS = 40;

/** Names that commands have trouble with: a line end, no UTF-8, a leading dash, what git and ignore files treat apart. */
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

test("[SES-15] after any changes by commands, in a repository or not, each turn's start and end can be had back", async () => {
  const scenario = fc.record({
    git: fc.boolean(),
    ignore: fc.boolean(),
    first: changes,
    turns: fc.array(fc.array(changes, { minLength: 1, maxLength: 2 }), { minLength: 1, maxLength: 3 }),
    reopen: fc.boolean(),
    order: fc.array(fc.nat(), { minLength: 1, maxLength: 4 }),
  });
  await holds(
    fc.asyncProperty(scenario, async ({ git, ignore, first, turns, reopen, order }) => {
      await using rig = await openCheckpointRig({ git });
      const { root } = rig;
      shell(root, script(first));
      if (ignore) shell(root, "rm -rf .gitignore; printf '*.o\\nd/\\n' > .gitignore");
      if (git)
        shell(
          root,
          "git add -A . && git commit -qm x --allow-empty && touch -d '+1 second' .git/index; printf dirty >> a || true",
        );
      const gitBefore = git ? gitState(root) : "";
      const seen = [];
      for (const commands of turns) {
        const before = treeOf(root);
        const { start, end } = await rig.turn(...commands.map(script));
        seen.push({ at: start, tree: before }, { at: end, tree: treeOf(root) });
        if (reopen) await rig.reopen();
      }
      for (const number of order) {
        const target = seen[number % seen.length];
        if (target === undefined) throw new Error("there is a turn");
        const done = await rig.rewind(target.at);
        expect(done).toMatchObject({ kept: [], notRestorable: [] });
        expect(treeOf(root)).toEqual(target.tree);
      }
      if (git) expect(gitState(root)).toBe(gitBefore);
    }),
    RUNS,
  );
}, 120_000);

/** Everything of git's own folder. */
function gitState(root: string): string {
  return shell(join(root, ".git"), "find . -type f -exec sha256sum {} + | sort");
}
