import { expect, test } from "bun:test";
import { chance } from "../support/chance.ts";
import { requireProgram } from "../support/requires.ts";
import { temporaryDirectory } from "../support/world.ts";
import { Lines } from "./lines.ts";
import { failuresOf, prove } from "./proof.ts";
import { unsafe } from "./unsafe.ts";
import { watch } from "./watch.ts";
import { makeWorkspace } from "./workspace.ts";

/** Changed from time to time by hand; `npm run soak -- --shell` draws by the clock. */
const SEED = 20_261_122;
const RAN = 240;
const MADE = 40_000;

/** One line of each class of docs/threats/calls.md, the programs that it names, and how one that is made looks. */
const CLASSES: readonly (readonly [string, readonly string[], RegExp])[] = [
  ["echo ': > PWNED #A' | sed 's/[/A/;/]/s/e;/x/p'", ["echo", "sed"], /sed .*\[\/A\/;\/\]\/s\/e/s],
  ["sed -n 's/[/A/;/]/p;/w src/p' notes.txt", ["sed"], /sed .*w PWNED/s],
  ["echo '$(: > PWNED)'; case ${_@P} in *) ;; esac", ["echo"], /case \$\{_@P\}/],
  ["nice -n $((PATH=0)) ls", ["nice", "ls"], /nice -n \$\(\(PATH=0\)\)/],
  ["[[ PATH=0 -eq 0 ]]; ls", ["ls"], /\[\[ PATH=0 -eq 0/],
  ["for PATH in .; do ls; done", ["ls"], /for PATH in \./],
  ["for GLOBIGNORE in zz; do cat *v; done", ["cat"], /for GLOBIGNORE in zz/],
  ["for ((PATH=0;;)); do ls; break; done", ["ls"], /for \(\(PATH=0/],
  ["printf %n PATH; ls", ["printf", "ls"], /printf (?:a?%n|'a?%n'|"a?%n"|%\*n) PATH/],
  ["strings @.env", ["strings"], /strings \S*@.env/],
  ["git log --format='%''G?'", ["git"], /git .*%''?G\?/],
  ["git -C pointed status", ["git"], /git -C pointed/],
  ["git -C nest/sub status", ["git"], /git -C nest\/sub/],
  ["sort -o[M]ADE notes.txt", ["sort"], /sort .*-o\[M\]ADE/],
  ["cat x[y]", ["cat"], /cat .*x\[y\]/],
  ['grep "-f$PWD/.env" notes.txt', ["grep"], /grep "-f\$PWD\/\.env"/],
  ["cat notes.txt | tac", ["cat", "tac"], /\| ?tac/],
  ["find odd -type f | xargs grep -l foo", ["find", "xargs", "grep"], /find odd .*xargs grep -l foo/],
  ["xxd -ps src/a.ts notes.txt", ["xxd"], /xxd \S*-ps/],
  ["echo foo > PWNED", ["echo"], /echo .*> PWNED/],
];

requireProgram("strace", "git")(
  "[PERM-04 S34] lines that are judged to only read, run with the real programs, write nothing, start nothing and read nothing else: a sample",
  async () => {
    const { ran, made, failures } = await prove(RAN, SEED);
    expect([failures, ran, made > ran]).toEqual([[], RAN, true]);
  },
  600_000,
);

requireProgram("strace", "git")(
  "[PERM-04 S34] and each class of commands that seem to only read is seen for what it is where it runs",
  async () => {
    await using folder = temporaryDirectory();
    const place = makeWorkspace(folder.path);
    const env = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: place.home };
    const judged = CLASSES.map(([line, names]) => ({ line, names }));
    for (const one of judged)
      expect([one.line, await failuresOf([one], place, env)]).toEqual([one.line, [expect.any(String)]]);
    expect(
      await failuresOf([{ line: "cat notes.txt | head -1", names: ["cat", "head"] }], place, env),
    ).toEqual([]);
  },
  600_000,
);

requireProgram("strace", "git")(
  "[PERM-04 S34] a line that does not end is found, and those behind it run",
  async () => {
    await using folder = temporaryDirectory();
    const place = makeWorkspace(folder.path);
    const env = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: place.home };
    const lines = ["cat notes.txt", "tail -f notes.txt", "echo foo > PWNED"];
    const calls = await watch(lines, place.root, env, { startMs: 3_000, lineMs: 100 });
    const found = calls.map((each) => unsafe(each, ["cat", "tail", "echo"], place));
    expect(found).toEqual([undefined, "it does not end: endless()", expect.stringContaining("for writing")]);
  },
  600_000,
);

test("[PERM-04] each class is among the lines that are made", async () => {
  await using folder = temporaryDirectory();
  const options = new Map(
    ["sort", "cat", "tac", "xxd", "git log", "git status"].map((name) => [name, ["-p", "--all"]] as const),
  );
  const source = new Lines(chance(SEED), options, {
    root: folder.path,
    home: "/home/u",
    outside: "/outside",
  });
  const lines = Array.from({ length: MADE }, () => source.next());
  const missing = CLASSES.filter(([, , shape]) => !lines.some((line) => shape.test(line)));
  expect(missing.map(([line]) => line)).toEqual([]);
});
