import type { Cache } from "../../base/cache-budget.ts";
import type { FileInfo } from "../../base/world.ts";
import type { ToolCall, ToolMiddleware } from "../middleware.ts";
import type { ToolContext, ToolOutput, Workspace } from "../tool.ts";

/** A file modified within this time may change again without a new time stamp. */
const SETTLED_MS = 1_000;

/** Result of a call, and a stamp of the files it read. */
export interface CachedResult {
  readonly stamp: string;
  readonly output: ToolOutput;
}

interface CallMemory {
  /** Distinguishes the calls of one workspace and turn from others. */
  readonly name: string;
  readonly turn: number;
  /** Increases whenever something may have changed: a result begun before that is not cached. */
  age: number;
}

/**
 * Answers an identical read-only call of the same turn from the engine's cache (ENG-07, SES-12).
 *
 * Applies only if the result must be the same: no mutating call came between, the call reads only regular files by
 * resolved path, and each has the same size, time stamp and identity. Everything else runs: directories, commands,
 * failures, and files modified within the last second.
 */
export function memoise(answers: Cache<CachedResult>): ToolMiddleware {
  const memories = new WeakMap<Workspace, CallMemory>();
  let count = 0;

  function memoryOf({ workspace, turn }: ToolContext): CallMemory {
    const known = memories.get(workspace);
    if (known?.turn === turn) return known;
    answers.clear();
    const fresh: CallMemory = { name: String(++count), turn, age: 0 };
    memories.set(workspace, fresh);
    return fresh;
  }

  function forget(memory: CallMemory): void {
    memory.age += 1;
    answers.clear();
  }

  return async function memoise(call, context, next) {
    const memory = memoryOf(context);
    if (call.tool.mutating) {
      forget(memory);
      try {
        return await next(call, context);
      } finally {
        forget(memory);
      }
    }
    const key = keyOf(call, memory);
    if (key === undefined) return await next(call, context);
    const remembered = answers.get(key);
    // An older state of the file stamps a result too: then no later look at the file fits it.
    const known = remembered === undefined ? call.plan?.info : undefined;
    const stamp = known === undefined ? await stampOf(call, context) : stampOfFiles([known], context);
    if (stamp === undefined) return await next(call, context);
    if (remembered?.stamp === stamp) return remembered.output;

    const { age } = memory;
    const output = await next(call, context);
    // A file that changes while it is read shows another stamp when the result is looked up.
    if (output.isError !== true && memory.age === age) answers.set(key, { stamp, output });
    return output;
  };
}

function keyOf(call: ToolCall, { name }: CallMemory): string | undefined {
  return call.plan?.target.kind === "paths"
    ? JSON.stringify([name, call.name, call.input, call.plan.target.paths])
    : undefined;
}

/** Returns a stamp that differs if a file of the call has changed; undefined if that is unknown. */
async function stampOf(call: ToolCall, context: ToolContext): Promise<string | undefined> {
  if (call.plan?.target.kind !== "paths") return undefined;
  const files: (FileInfo | undefined)[] = [];
  for (const { path } of call.plan.target.paths) {
    files.push(await context.world.files.lstat(path).catch(() => undefined)); // unreadable: the call itself reports why
  }
  return stampOfFiles(files, context);
}

/** Returns undefined unless all are files that were changed long enough ago. */
function stampOfFiles(files: readonly (FileInfo | undefined)[], { world }: ToolContext): string | undefined {
  const stamps: unknown[] = [];
  for (const info of files) {
    const settled = info !== undefined && info.modifiedMs < world.clock.now() - SETTLED_MS;
    if (info?.kind !== "file" || !settled) return undefined;
    stamps.push([info.size, info.modifiedMs, info.identity]);
  }
  return JSON.stringify(stamps);
}
