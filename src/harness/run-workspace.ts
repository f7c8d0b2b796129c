import { join } from "node:path";
import { HarnessError, messageOf } from "../base/errors.ts";
import type { LogId } from "../base/ids.ts";
import type { World } from "../base/world.ts";
import type { Workspace } from "../tool/tool.ts";
import type { Redactor } from "../trust/redact.ts";
import type { SessionEnvironment } from "./child-environment.ts";
import type { RunDefaults } from "./run-parts.ts";

const SCRATCH_MODE = 0o700;

export interface WorkspaceSources extends Pick<SessionEnvironment, "env" | "withheld"> {
  readonly logId: LogId;
  readonly root: string;
  readonly paths: RunDefaults["paths"];
  readonly secrets: Redactor;
}

export function workspaceOf({ logId, root, paths, env, withheld, secrets }: WorkspaceSources): Workspace {
  const scratch = join(paths.data, "scratch", logId);
  const readable = new Set<string>();
  const redacting = () => secrets.stream();
  return { root, cwd: root, seen: new Map(), env, withheld, redacting, scratch, readable };
}

/** @throws HarnessError StoreUnwritable: what is spilled belongs to the session. */
export async function makeScratch({ files }: World, path: string): Promise<void> {
  try {
    await files.makeDirectory(path, SCRATCH_MODE);
  } catch (cause) {
    throw new HarnessError("StoreUnwritable", { path, detail: messageOf(cause) }, { cause });
  }
}

/** Output that was spilled is kept with its session; a folder without any is not. */
export async function removeIfEmpty({ files }: World, directory: string): Promise<void> {
  if ((await files.stat(directory)) === undefined) return;
  if ((await files.list(directory)).length === 0) await files.remove(directory);
}
