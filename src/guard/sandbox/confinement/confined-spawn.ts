import { decode } from "../../../base/text/text.ts";
import type { Child, Exit, Spawn } from "../../../base/world.ts";
import type { Confine } from "../../../session/guard/sandbox.ts";

const LINE_FEED = 10;

export interface ConfinedSpawnOptions {
  readonly confine: Confine;
  /** Receives each process that is started. */
  follow?(child: Child): void;
}

/**
 * Starts every process in a sandbox.
 *
 * If the sandbox cannot be set up, the exit is `failed`, never an exit of the command: nothing ran. Processes that a
 * command leaves running end with its namespace.
 */
export function confinedSpawn(
  spawn: Spawn,
  { confine, follow }: ConfinedSpawnOptions,
  how?: "background",
): Spawn {
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

/**
 * Describes the failure. If bubblewrap or nsenter reports that the program is missing, the sandbox worked, and only
 * the program is named.
 */
function textOf(why: string): string {
  const [, program, cause] = /^(?:execvp|failed to execute) (.+): (.+)$/.exec(why) ?? [];
  return program === undefined
    ? `the sandbox could not be set up, so nothing was run: ${why}`
    : `${program} cannot be started in the sandbox: ${cause}`;
}

/** Reads the first line of stderr: the sandbox may complain in one line, in pieces, before the command starts. */
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
