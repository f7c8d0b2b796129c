import type { Child, Exit, Spawn } from "../../base/world.ts";
import type { Confine } from "../sandbox.ts";

/**
 * Starts every process in a sandbox.
 *
 * A sandbox that could not be set up is an end as `failed`, never an end of the command: nothing ran. What a command leaves
 * running ends with its namespace, so that nothing is left behind.
 */
export function confinedSpawn(spawn: Spawn, confine: Confine): Spawn {
  return (options) => {
    const child = spawn(confine.wrap(options));
    const stderr = child.stderr[Symbol.asyncIterator]();
    const first = stderr.next();
    const exited = child.exited.then(async (exit): Promise<Exit> => {
      if (exit.kind !== "code" || exit.code === 0) return exit;
      const why = confine.failure(textOf(await first));
      if (why === undefined) return exit;
      return {
        kind: "failed",
        error: new Error(`the sandbox could not be set up, so nothing was run: ${why}`),
      };
    });
    return {
      pid: child.pid,
      stdout: child.stdout,
      stderr: { [Symbol.asyncIterator]: () => from(first, stderr) },
      exited,
      leftBehind: () => false,
      kill: (signal) => child.kill(signal),
      release: () => child.release(),
      [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
    } satisfies Child;
  };
}

async function* from(
  first: Promise<IteratorResult<Uint8Array>>,
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for (let each = await first; each.done !== true; each = await rest.next()) yield each.value;
}

function textOf(first: IteratorResult<Uint8Array>): string {
  return first.done === true ? "" : new TextDecoder().decode(first.value);
}
