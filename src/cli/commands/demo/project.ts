import { dirname, join } from "node:path";
import { assert } from "../../../base/assert.ts";
import { decode } from "../../../base/text/text.ts";
import type { World } from "../../../base/world.ts";
import agents from "./project/AGENTS.md" with { type: "text" };
import program from "./project/bin/uptime-words" with { type: "text" };
import words from "./project/lib/words.sh" with { type: "text" };
import readme from "./project/README.md" with { type: "text" };
import tests from "./project/test/run.sh" with { type: "text" };

/** A file of the demo's project, also embedded in the compiled program. */
interface ProjectFile {
  readonly path: string;
  readonly text: string;
  readonly mode: number;
}

export const INSTRUCTIONS: ProjectFile = { path: "AGENTS.md", text: agents, mode: 0o644 };

const FILES: readonly ProjectFile[] = [
  INSTRUCTIONS,
  { path: "README.md", text: readme, mode: 0o644 },
  { path: "bin/uptime-words", text: program, mode: 0o755 },
  { path: "lib/words.sh", text: words, mode: 0o644 },
  { path: "test/run.sh", text: tests, mode: 0o644 },
];

/** Bug and fix: the recorded model writes the fix, and `--fixed` starts with it. */
export const FIX = {
  path: "lib/words.sh",
  before: "minutes=$(($1 % 60 / 60))",
  after: "minutes=$(($1 % 3600 / 60))",
} as const;

/** Command that fails before the bug is fixed. */
export const CHECK = ["sh", "test/run.sh"] as const;

const FILE_BYTES_MAX = 1_048_576;

/** Copies the project into a folder; with `fixed`, without its bug. */
export async function layOut(
  world: Pick<World, "files">,
  folder: string,
  { fixed }: { readonly fixed: boolean },
): Promise<void> {
  for (const { path, text, mode } of FILES) {
    await world.files.makeDirectory(dirname(join(folder, path)));
    await world.files.writeAtomic(
      join(folder, path),
      fixed && path === FIX.path ? withFix(text) : text,
      mode,
    );
  }
}

function withFix(text: string): string {
  assert(text.includes(FIX.before), `the bug of the demo stands in ${FIX.path}`);
  return text.replace(FIX.before, () => FIX.after);
}

export interface Change {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

/** Returns the project's files as they are now. A deleted file has no text. */
export async function changesIn(world: Pick<World, "files">, folder: string): Promise<readonly Change[]> {
  const changes: Change[] = [];
  for (const { path, text: before } of FILES) {
    const full = join(folder, path);
    const isThere = (await world.files.stat(full)) !== undefined;
    const after = isThere ? decode(await world.files.read(full, FILE_BYTES_MAX)) : "";
    if (after !== before) changes.push({ path, before, after });
  }
  return changes;
}

export interface CheckOutcome {
  readonly passed: boolean;
  readonly output: string;
}

/** Runs the project's tests outside of any agent, to check the result. */
export async function runCheck(
  world: Pick<World, "spawn">,
  folder: string,
  { path, signal }: { readonly path: string; readonly signal: AbortSignal },
): Promise<CheckOutcome> {
  signal.throwIfAborted();
  await using child = world.spawn({ argv: CHECK, cwd: folder, env: { PATH: path } });
  using _end = endOn(signal, () => child.kill("SIGKILL"));
  const [exit, output, errors] = await Promise.all([child.exited, read(child.stdout), read(child.stderr)]);
  const failure = exit.kind === "failed" ? exit.error.message : "";
  return { passed: exit.kind === "code" && exit.code === 0, output: output + errors + failure };
}

async function read(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: string[] = [];
  for await (const chunk of chunks) parts.push(decode(chunk));
  return parts.join("");
}

function endOn(signal: AbortSignal, end: () => void): Disposable {
  signal.addEventListener("abort", end, { once: true });
  return { [Symbol.dispose]: () => signal.removeEventListener("abort", end) };
}
