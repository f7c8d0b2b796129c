import { expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
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
