import { join } from "node:path";
import type { Tree } from "../../../base/files/tree.ts";
import type { LogId } from "../../../base/ids.ts";
import type { World } from "../../../base/world.ts";
import { CurrentRepository } from "../git/current-repository.ts";
import { CheckpointStore } from "../store/checkpoint-store.ts";
import { checkpointsFolder } from "../store/checkpoints-folder.ts";
import { checkpointKey } from "../store/earlier-key.ts";
import type { ChangeSource } from "./change-source.ts";
import { entryContent, recordsOrLoss } from "./change-source.ts";

export interface StoredSourceOptions {
  readonly world: Pick<World, "clock" | "files" | "log" | "random">;
  readonly tree: Tree;
  /** Folder of the user's data. */
  readonly data: string;
  readonly log: LogId;
  readonly logKey: Uint8Array;
  /** Folder whose repository holds contents. */
  readonly workingDir: string;
}

/** Reads the recorded changes of a log from disk, and changes nothing. */
export async function openStoredSource(
  { world, tree, data, log, logKey, workingDir }: StoredSourceOptions,
  signal: AbortSignal,
): Promise<ChangeSource> {
  const { files, random } = world;
  const folder = join(checkpointsFolder(data), log);
  const store = await CheckpointStore.open({ files, random, folder, key: checkpointKey(logKey, log), log });
  const { records, loss } = await recordsOrLoss(store);
  const root = records[0]?.root ?? workingDir;
  const repository = new CurrentRepository({ world, files, tree, root, configFiles: [] });
  if (records.length > 0) await repository.refresh(signal);
  const sources = { store, repository: () => repository.current, unstored: () => undefined };
  return {
    records,
    unwrittenCalls: [],
    loss,
    content: async (path, entry, asked) => await entryContent({ path, entry }, sources, asked),
    pause: (asked) => tree.pause(asked),
  };
}
