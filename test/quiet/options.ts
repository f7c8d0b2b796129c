import { NESTED_SUBCOMMANDS, SUBCOMMANDS } from "../../src/guard/permissions/commands/git-table.ts";
import { KNOWN_COMMANDS } from "../../src/guard/permissions/commands/table.ts";

/** The options that the programs of this machine have, as their own help tells: not those of the tables. */
export type Options = ReadonlyMap<string, readonly string[]>;

const HELP_MS_MAX = 10_000;
/** bash has these without a program. */
export const BUILT_IN: ReadonlySet<string> = new Set("cd : exit type command".split(" "));
const PATH = "/usr/local/bin:/usr/bin:/bin";
/** Commands of git: those that only read according to the tables, and others. */
const SUBS = [
  ...Object.keys(SUBCOMMANDS),
  ...Object.entries(NESTED_SUBCOMMANDS).flatMap(([name, inner]) =>
    Object.keys(inner).map((word) => `${name} ${word}`),
  ),
  ..."config symbolic-ref archive bundle fetch gc commit checkout stash difftool update-index".split(" "),
];
/** Their help is none, or starts something: what is known of them beside it. */
const BY_HAND: Readonly<Record<string, readonly string[]>> = {
  find: "-name -type -exec -execdir -delete -ok -fprint -fprintf -fls -print -print0 -printf -newer -maxdepth -path -prune -o -a -not -quit -empty -size -user -ls -files0-from".split(
    " ",
  ),
  "[": "-f -d -v -R -n -z -e -nt -ot -ef -eq -gt = != -a -o -t -S".split(" "),
  test: "-f -d -v -R -n -z -e -nt -eq = -a -o".split(" "),
  printf: ["-v", "--"],
  echo: ["-e", "-n", "-E"],
  type: "-a -f -t -p -P".split(" "),
  command: "-v -V -p".split(" "),
  cd: "-P -L -e --".split(" "),
  pwd: ["-P", "-L"],
  xxd: "-r -p -b -i -u -e -s -l -c -R".split(" "),
  tr: "-c -d -s -t".split(" "),
};

/** Their help names only a few of the options that they share with `git diff`. */
const LOG =
  "--oneline --graph --all --branches --tags --remotes --merges --first-parent --reverse --follow --abbrev-commit --decorate --left-right --date-order --walk-reflogs --show-signature --no-walk --max-count --since --until --author --grep --date --glob --exclude --pretty --format --encoding --notes --parents --children --objects --stdin --bisect --disk-usage -n -g -i -E -F -P -L -t -m -c --show-linear-break --remerge-diff --count --header --timestamp --filter --use-bitmap-index --test-bitmap".split(
    " ",
  );
const LOGGING = new Set("log show whatchanged reflog rev-list".split(" "));

/** Asks each program that is there for its help. Those that are not there are left out. */
export function optionsHere(): Options {
  const found = new Map<string, readonly string[]>();
  for (const name of KNOWN_COMMANDS) {
    const isThere = Bun.which(name, { PATH }) !== null;
    if (name === "git" || !(isThere || BUILT_IN.has(name))) continue;
    found.set(name, [...(BY_HAND[name] ?? []), ...(isThere ? optionsIn([name, "--help"]) : [])]);
  }
  const diff = optionsIn(["git", "diff", "-h"]);
  for (const sub of SUBS) {
    const [first = "", second] = sub.split(" ");
    const shared = LOGGING.has(first) ? [...LOG, ...diff] : second === undefined ? [] : diff;
    found.set(`git ${sub}`, [...optionsIn(["git", ...sub.split(" "), "-h"]), ...shared]);
  }
  return found;
}

function optionsIn(argv: readonly [string, ...string[]] | readonly string[]): readonly string[] {
  const { stdout, stderr } = Bun.spawnSync([...argv], {
    cwd: "/",
    env: { PATH, HOME: "/nowhere" },
    stdin: "ignore",
    timeout: HELP_MS_MAX,
  });
  const text = `${stdout}\n${stderr}`;
  return [...new Set([...text.matchAll(/(?<![\w-])--?[A-Za-z0-9][\w-]*/g)].map(([option]) => option))];
}
