import { join } from "node:path";
import { CheckpointStore } from "../checkpoint/store.ts";
import type { Config } from "../profile/config.ts";
import { subKey } from "../session/seal.ts";
import { checkpointsFolder } from "./checkpoints-folder.ts";
import { providersOf } from "./open-store.ts";
import type { HarnessOptions } from "./options.ts";

/** What is wrong with the checkpoints of one session. */
export interface CheckpointAilment {
  readonly weight: "damage" | "note";
  readonly text: string;
  readonly remedy: string;
}

export interface CheckpointsExamined {
  readonly options: HarnessOptions;
  readonly config?: Config;
  readonly signal: AbortSignal;
}

/** Opens the records of every session's checkpoints, and changes nothing. Contents are opened when they are needed. */
export async function* examineCheckpoints({
  options,
  config,
  signal,
}: CheckpointsExamined): AsyncGenerator<CheckpointAilment> {
  const { world, paths } = options;
  const { files, random } = world;
  const all = checkpointsFolder(paths.data);
  // Without the configuration it is not known where keys are.
  if (config === undefined || (await files.stat(all)) === undefined) return;
  const logKey = await providersOf(options, config).credentials.logKey();
  for (const { name: log, kind } of await files.list(all)) {
    signal.throwIfAborted();
    if (kind !== "directory") continue;
    const key = subKey(logKey, `cinch checkpoints v1 ${log}`);
    const { damage } = await CheckpointStore.open({ files, random, folder: join(all, log), key, log });
    if (damage === undefined) continue;
    const remedy =
      "Nothing: the session goes on and keeps files anew. To have the room back, remove the folder.";
    yield { weight: "damage", text: damage.message, remedy };
  }
}
