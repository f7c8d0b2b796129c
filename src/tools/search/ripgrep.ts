import { deadline, whileAlive } from "../../base/async/deadline.ts";
import { defined } from "../../base/defined.ts";
import { decode } from "../../base/text/text.ts";
import type { Child } from "../../base/world.ts";
import type { ToolContext } from "../tool.ts";
import { ToolFailure } from "../tool.ts";

/** Time limit of one search. */
export const SEARCH_MS_MAX = 30_000;
const PROBLEM_BYTES_MAX = 4_096;
/** A longer record is cut; ripgrep itself cuts lines, and a path has at most 4 KiB. */
const RECORD_CHARACTERS_MAX = 65_536;

/** Finds the program; called at the first search. */
export type RipgrepPath = () => Promise<string>;

export interface RipgrepSearch {
  readonly program: RipgrepPath;
  /** Arguments of this search; common ones are added. */
  readonly args: readonly string[];
  /** Resolved; the search runs in it. */
  readonly directory: string;
  /** Content to search instead of files. */
  readonly stdin?: Uint8Array;
  /** End of each output record. */
  readonly separator: "\n" | "\0";
}

export interface RipgrepResult {
  /** True if `take` stopped the search. */
  readonly cut: boolean;
  /** True if something could not be read. */
  readonly unreadable: boolean;
}

/** No configuration, no links; `.gitignore` applies without a repository too, and `.git` is excluded. */
const ARGS_OF_ALL = [
  "--no-config",
  "--no-require-git",
  "--hidden",
  "--no-messages",
  "--color=never",
  "--glob=!.git",
];

/**
 * Runs ripgrep without a shell and passes each output record to `take` until it returns false (TOOL-03).
 *
 * Ends with its signal, and after `SEARCH_MS_MAX`. Its environment is empty, so that no variable changes its
 * behaviour (S03).
 * @throws ToolFailure with ripgrep's message, for example an invalid pattern.
 */
export async function runRipgrep(
  search: RipgrepSearch,
  { world, signal }: Pick<ToolContext, "world" | "signal">,
  take: (record: string) => boolean,
): Promise<RipgrepResult> {
  const program = await search.program();
  signal.throwIfAborted();
  using limit = deadline(world.clock, SEARCH_MS_MAX, signal);
  await using child = world.spawn({
    argv: [program, ...ARGS_OF_ALL, ...search.args],
    cwd: search.directory,
    env: {},
    ...defined({ stdin: search.stdin }),
  });
  const reading = read(child, search.separator, take);
  try {
    return await whileAlive(reading, limit.signal);
  } catch (thrown) {
    if (!limit.reached) throw thrown;
    const seconds = SEARCH_MS_MAX / 1000;
    throw new ToolFailure(`The search took longer than ${seconds} s. Narrow it.`, { cause: thrown });
  } finally {
    await child[Symbol.asyncDispose]();
    await reading.catch(() => undefined); // already thrown, or no longer needed
  }
}

async function read(
  child: Child,
  separator: string,
  take: (record: string) => boolean,
): Promise<RipgrepResult> {
  const problem = firstBytes(child.stderr);
  try {
    for await (const record of records(child.stdout, separator)) {
      if (!take(record)) return { cut: true, unreadable: false };
    }
  } finally {
    problem.catch(() => undefined); // matters only if everything was read, below
  }
  const exit = await child.exited;
  if (exit.kind === "failed") throw new ToolFailure(exit.error.message, { cause: exit.error });
  const words = (await problem).replaceAll(/^rg: /gm, "").trim();
  if (words !== "") throw new ToolFailure(words);
  return { cut: false, unreadable: exit.kind === "code" && exit.code > 1 };
}

async function* records(chunks: AsyncIterable<Uint8Array>, separator: string): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of chunks) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split(separator);
    rest = (parts.pop() ?? "").slice(0, RECORD_CHARACTERS_MAX);
    yield* parts;
  }
  if (rest !== "") yield rest;
}

/** Reads to the end, since a full pipe would block the writer, and keeps the beginning. */
async function firstBytes(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const keptChunks: Uint8Array[] = [];
  let room = PROBLEM_BYTES_MAX;
  for await (const chunk of chunks) {
    keptChunks.push(chunk.subarray(0, room));
    room = Math.max(0, room - chunk.length);
  }
  return decode(Buffer.concat(keptChunks));
}
