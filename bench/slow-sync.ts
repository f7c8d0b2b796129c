import { join } from "node:path";
import type { BenchSetup } from "./subject.ts";

const SOURCE = (micros: number) => `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <unistd.h>
#define SLOW(name) \\
  int name(int file) { \\
    int (*sync)(int) = (int (*)(int))dlsym(RTLD_NEXT, #name); \\
    usleep(${micros}); \\
    return sync(file); \\
  }
SLOW(fsync)
SLOW(fdatasync)
`;

/**
 * Builds a library that makes each sync of a file take a time, as on a real disk. Returns the variables that load it,
 * or undefined on a machine without a C compiler: its rows are then left out.
 */
export async function slowSync(
  { scratch }: BenchSetup,
  ms: number,
): Promise<Readonly<Record<string, string>> | undefined> {
  const compiler = Bun.which("cc");
  if (compiler === null) return undefined;
  const library = join(scratch, `slow-sync-${ms}.so`);
  const source = join(scratch, "slow-sync.c");
  await Bun.write(source, SOURCE(ms * 1_000));
  const build = Bun.spawn([compiler, "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  if ((await build.exited) !== 0)
    throw new Error("the library of the slow disk could not be built: see above");
  return { LD_PRELOAD: library };
}
