import { expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { requireProgram } from "../../test/support/requires.ts";
import { temporaryDirectory } from "../../test/support/world.ts";
import { staysInDirectory } from "./stays-in-directory.ts";

const STAYING = [
  "echo one",
  "npm test && git commit -m 'cd elsewhere'",
  'grep -rn "cd .." src | head -3 >out.txt 2>&1',
  "(ls; pwd); ./cd sub",
  "make || exit 3",
];
const MOVING = [
  "cd sub",
  "echo one && cd sub",
  "pushd sub",
  "'c'd sub",
  "\\cd sub",
  "builtin cd sub",
  "command cd sub",
  "eval 'cd sub'",
  "echo 'cd sub' >line; . ./line",
  "echo 'cd sub' >line; source line",
  "f() { cd sub; }; f",
  "shopt -s expand_aliases; alias there='cd sub'\nthere",
  "trap 'cd sub' EXIT",
  "echo x | { cd sub; }; cd sub",
  "if true; then cd sub; fi",
  "x=cd; $x sub",
  "c? sub",
  "$(echo cd) sub",
  "mapfile -C 'cd sub; true' -c 1 a <<<x",
  ">out cd sub",
  "X=1 cd sub",
  "! cd sub",
  "echo $'\\x63d' && cd sub",
  "cd sub &",
  "jobs -x cd sub",
  "declare POSIXLY_CORRECT=1 'BASH_ALIASES[there]=cd sub'\nthere",
  "printf -v POSIXLY_CORRECT 1; printf -v 'BASH_ALIASES[there]' 'cd sub'\nthere",
  "a-name-that-another-bash-may-run-itself sub",
];
const STAYING_BUILTINS = [
  ...[":", "[", "echo", "exit", "false", "help", "kill", "pwd", "test", "times", "true", "type"],
  ...["ulimit", "umask"],
];
/** They change the directory, run text, or set variables, which may do the same. Or nobody needs them. */
const OTHER_BUILTINS = [
  ...[".", "alias", "bg", "bind", "break", "builtin", "caller", "cd", "command", "compgen", "complete"],
  ...["compopt", "continue", "declare", "dirs", "disown", "enable", "eval", "exec", "export", "fc", "fg"],
  ...["getopts", "hash", "history", "jobs", "let", "local", "logout", "mapfile", "popd", "printf", "pushd"],
  ...["read", "readarray", "readonly", "return", "set", "shift", "shopt", "source", "suspend", "trap"],
  ...["typeset", "unalias", "unset", "wait"],
];

test("[TOOL-02] a line that may change the directory of its shell is never taken for one that stays", async () => {
  await using folder = temporaryDirectory();
  mkdirSync(join(folder.path, "sub"));
  const last = (line: string) => {
    const argv = ["/bin/bash", "--norc", "-c", 'eval -- "$1" >/dev/null 2>&1; pwd -P', "bash", line];
    return Bun.spawnSync(argv, { cwd: folder.path }).stdout.toString().trim();
  };
  for (const line of STAYING) {
    expect([line, staysInDirectory(line)]).toEqual([line, true]);
    expect([line, last(line)]).toEqual([line, line.includes("exit") ? "" : folder.path]);
  }
  for (const line of MOVING) expect([line, staysInDirectory(line)]).toEqual([line, false]);
});

requireProgram("bash")("[TOOL-02] each command that bash runs itself is known to stay, or not", () => {
  const { stdout } = Bun.spawnSync(["bash", "--norc", "-c", "compgen -b"], { env: {} });
  const builtins = stdout.toString().trim().split("\n");
  expect(builtins.length).toBeGreaterThan(40);
  const known = [...STAYING_BUILTINS, ...OTHER_BUILTINS];
  expect(builtins.filter((name) => !known.includes(name))).toEqual([]);
  expect(known.filter((name) => staysInDirectory(name))).toEqual(STAYING_BUILTINS);
});
