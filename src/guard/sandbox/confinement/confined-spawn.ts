import { decode } from "../../../base/text/text.ts";
import type { Child, Exit, Spawn } from "../../../base/world.ts";
import type { Confine } from "../../../session/guard/sandbox.ts";

const LINE_FEED = 10;

export interface Confined {
  readonly confine: Confine;
  /** Takes each process that is started. */
  follow?(child: Child): void;
}

/**
 * Starts every process in a sandbox.
 *
 * A sandbox that could not be set up is an end as `failed`, never an end of the command: nothing ran. What a command leaves
 * running ends with its namespace, so that nothing is left behind.
 */
export function confinedSpawn(spawn: Spawn, { confine, follow }: Confined, how?: "background"): Spawn {
  return (options) => {
    const child = spawn(confine.wrap(options, how));
    const stderr = child.stderr[Symbol.asyncIterator]();
    const first = firstLine(stderr);
    const exited = child.exited.then(async (exit): Promise<Exit> => {
      if (exit.kind !== "code" || exit.code === 0) return exit;
      const why = confine.failure(decode(Buffer.concat(await first)));
      if (why === undefined) return exit;
      return { kind: "failed", error: new Error(textOf(why)) };
    });
    const confined: Child = {
      pid: child.pid,
      ...(child.input === undefined ? {} : { input: child.input }),
      ...(child.announcement === undefined ? {} : { announcement: child.announcement }),
      stdout: child.stdout,
      stderr: { [Symbol.asyncIterator]: () => from(first, stderr) },
      exited,
      leftBehind: () => false,
      kill: (signal) => child.kill(signal),
      [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
    };
    follow?.(confined);
    return confined;
  };
}

/** Where the sandbox stands and the program is missing, as bubblewrap and nsenter tell it, that is what is wrong. */
function textOf(why: string): string {
  const [, program, cause] = /^(?:execvp|failed to execute) (.+): (.+)$/.exec(why) ?? [];
  return program === undefined
    ? `the sandbox could not be set up, so nothing was run: ${why}`
    : `${program} cannot be started in the sandbox: ${cause}`;
}

/** Before the command has begun, its sandbox may complain in one line; it writes that in pieces. */
async function firstLine(stderr: AsyncIterator<Uint8Array>): Promise<readonly Uint8Array[]> {
  const chunks: Uint8Array[] = [];
  while (true) {
    const { done, value } = await stderr.next();
    if (done === true) return chunks;
    chunks.push(value);
    if (value.includes(LINE_FEED)) return chunks;
  }
}

async function* from(
  first: Promise<readonly Uint8Array[]>,
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield* await first;
  for (let each = await rest.next(); each.done !== true; each = await rest.next()) yield each.value;
}
