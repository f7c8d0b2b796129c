import { deadline, whileAlive } from "../../base/async/deadline.ts";
import { decode } from "../../base/text/text.ts";
import type { Child } from "../../base/world.ts";
import type { ToolContext } from "../tool.ts";
import { ToolFailure } from "../tool.ts";

/** How long one search may take. */
export const SEARCH_MS_MAX = 30_000;
const PROBLEM_BYTES_MAX = 4_096;
/** A record longer than this is cut; ripgrep itself cuts lines, and a path has at most 4 KiB. */
const RECORD_CHARACTERS_MAX = 65_536;

/** Finds the program; called at the first search. */
export type RipgrepPath = () => Promise<string>;

export interface Search {
  readonly program: RipgrepPath;
  /** Of this search alone; what holds for all is added. */
  readonly args: readonly string[];
  /** Resolved; the search runs in it. */
  readonly directory: string;
  /** What is searched in the place of files. */
  readonly stdin?: Uint8Array;
  /** What ends each record of the output. */
  readonly separator: "\n" | "\0";
}

export interface SearchEnd {
  /** Whether `take` wanted no more. */
  readonly cut: boolean;
  /** Whether something could not be read. */
  readonly unreadable: boolean;
}

/** No configuration, no following of links; `.gitignore` counts without a repository too, and `.git` is left out. */
const ARGS_OF_ALL = [
  "--no-config",
  "--no-require-git",
  "--hidden",
  "--no-messages",
  "--color=never",
  "--glob=!.git",
];

/**
 * Runs ripgrep without a shell and hands over each record of its output until `take` says false (TOOL-03).
 *
 * Ended with its signal, and after `SEARCH_MS_MAX`. Its environment is empty, so that no variable steers it (S03).
 * @throws ToolFailure with ripgrep's own words, such as what is wrong with a pattern.
 */
export async function ripgrep(
  search: Search,
  { world, signal }: ToolContext,
  take: (record: string) => boolean,
): Promise<SearchEnd> {
  const program = await search.program();
  signal.throwIfAborted();
  using limit = deadline(world.clock, SEARCH_MS_MAX, signal);
  await using child = world.spawn({
    argv: [program, ...ARGS_OF_ALL, ...search.args],
    cwd: search.directory,
    env: {},
    ...(search.stdin === undefined ? {} : { stdin: search.stdin }),
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
    await reading.catch(() => undefined); // thrown already, or no longer wanted
  }
}

async function read(child: Child, separator: string, take: (record: string) => boolean): Promise<SearchEnd> {
  const problem = firstBytes(child.stderr);
  try {
    for await (const record of records(child.stdout, separator)) {
      if (!take(record)) return { cut: true, unreadable: false };
    }
  } finally {
    problem.catch(() => undefined); // of interest only where everything was read, below
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

/** Reads to the end, since a full pipe would hold up the writer, and keeps the beginning. */
async function firstBytes(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const kept: Uint8Array[] = [];
  let room = PROBLEM_BYTES_MAX;
  for await (const chunk of chunks) {
    kept.push(chunk.subarray(0, room));
    room = Math.max(0, room - chunk.length);
  }
  return decode(Buffer.concat(kept));
}
