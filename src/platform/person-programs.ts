import { codeOf } from "../base/world.ts";

/** Folder and environment of a program of the person. */
export interface ProgramOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Runs a program with the terminal of this process, and waits for its end. Returns its exit code.
 * @throws an error of the system if it cannot be started.
 */
export async function runOnTerminal(words: readonly string[], place: ProgramOptions): Promise<number> {
  return await Bun.spawn([...words], { ...place, stdio: ["inherit", "inherit", "inherit"] }).exited;
}

/** Returns at most `bytesMax` of the output of a program; undefined if it is missing, fails, or exceeds `msMax`. */
export async function outputOf(
  words: readonly string[],
  { env }: Pick<ProgramOptions, "env">,
  { bytesMax, msMax }: { readonly bytesMax: number; readonly msMax: number },
): Promise<Uint8Array | undefined> {
  return await unlessMissing(async () => {
    const child = Bun.spawn([...words], {
      env,
      stdio: ["ignore", "pipe", "ignore"],
      timeout: msMax,
      maxBuffer: bytesMax,
    });
    const bytes = await new Response(child.stdout).bytes();
    return (await child.exited) === 0 ? bytes : undefined;
  });
}

/** Runs a program with a text as its input. Returns false if it is missing, fails, or takes longer than `msMax`. */
export async function feedTo(
  words: readonly string[],
  text: string,
  { env, msMax }: Pick<ProgramOptions, "env"> & { readonly msMax: number },
): Promise<boolean> {
  const isDone = await unlessMissing(async () => {
    const stdio = [new Blob([text]), "ignore", "ignore"] as const;
    return (await Bun.spawn([...words], { env, stdio: [...stdio], timeout: msMax }).exited) === 0;
  });
  return isDone ?? false;
}

async function unlessMissing<Result>(run: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await run();
  } catch (thrown) {
    if (codeOf(thrown) === undefined) throw thrown;
    return undefined;
  }
}
