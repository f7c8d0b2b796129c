import { join } from "node:path";
import { count } from "../../base/text/text.ts";
import type { DoctorFinding, ExaminationInput } from "../../session/commands/doctor-check.ts";
import { CheckpointStore } from "./store/checkpoint-store.ts";
import { checkpointsFolder } from "./store/checkpoints-folder.ts";
import { checkpointKey } from "./store/earlier-key.ts";

/** Opens the records of every session's checkpoints, and changes nothing. Contents stay closed. */
export async function* examine({
  options,
  logKey: openKey,
  signal,
}: ExaminationInput): AsyncGenerator<DoctorFinding> {
  const { world, paths } = options;
  const { files, random } = world;
  const all = checkpointsFolder(paths.data);
  // Without the configuration it is not known where keys are.
  if (openKey === undefined || (await files.stat(all)) === undefined) return;
  const logKey = await openKey();
  let earlier = 0;
  for (const { name: log, kind } of await files.list(all)) {
    signal.throwIfAborted();
    if (kind !== "directory") continue;
    const key = checkpointKey(logKey, log);
    const store = await CheckpointStore.open({ files, random, folder: join(all, log), key, log });
    if (store.isEarlierKey) earlier += 1;
    const { damage } = store;
    if (damage === undefined) continue;
    const remedy =
      "Nothing: the session continues and keeps its files again. Remove the folder to free the disk space.";
    yield { weight: "damage", text: damage.message, remedy };
  }
  if (earlier > 0) {
    const text = `${count(earlier, "folder")} in ${all} ${earlier === 1 ? "holds" : "hold"} checkpoints under an earlier machine key: files cannot be set back to them.`;
    const remedy =
      "Nothing: those sessions keep their files under the machine key of now. The old checkpoints go with their sessions, or when space is needed.";
    yield { weight: "note", text, remedy };
  }
}
