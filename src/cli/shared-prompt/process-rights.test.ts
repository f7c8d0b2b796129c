import { expect } from "bun:test";
import { join } from "node:path";
import { requireProgram } from "../../../test/support/requires.ts";

const FLAGS = ["--no-install", "--no-env-file", "--config=/dev/null"];

/** Returns the rights of a process that is started by these words. */
function rightsBelow(words: readonly string[]): string {
  const module = JSON.stringify(join(import.meta.dir, "process-rights.ts"));
  const code = `const { processRights } = await import(${module}); console.log(JSON.stringify([...processRights()]));`;
  const { stdout } = Bun.spawnSync([...words, process.execPath, ...FLAGS, "-e", code]);
  return stdout.toString();
}

const CHANGES = [
  ["nice", "its priority", ["nice", "-n", "5"]],
  ["prlimit", "a limit", ["prlimit", "--fsize=100000000"]],
  ["setpriv", "no new privileges", ["setpriv", "--no-new-privs"]],
] as const;

for (const [program, what, words] of CHANGES) {
  requireProgram(program)(
    `[CTL-11 PERM-01] a prompt whose process differs in ${what} shares no engine`,
    () => {
      const own = rightsBelow([]);
      expect(own).toContain("CapEff");
      expect(rightsBelow([])).toBe(own);
      expect(rightsBelow(words)).not.toBe(own);
    },
  );
}
