import { join } from "node:path";
import { HarnessError, messageOf } from "../../base/errors.ts";
import type { LogId } from "../../base/ids.ts";
import { codeOf } from "../../base/world.ts";
import { harnessSecretsFolders } from "../../credentials/store/harness-secrets-path.ts";
import { cinchDirectories } from "../../guard/sandbox/policy/cinch-directories.ts";
import { resolveHome } from "../../guard/sandbox/policy/hidden-paths.ts";
import type { SessionHost } from "../../session/host.ts";
import { Checkpoints } from "./checkpoints.ts";
import type { CheckpointSettings } from "./config.ts";
import { CheckpointStore } from "./store/checkpoint-store.ts";
import { checkpointsFolder } from "./store/checkpoints-folder.ts";
import { spaceFor } from "./store/disk-space.ts";
import { checkpointKey } from "./store/earlier-key.ts";
import { recordingScope } from "./tracking/recording-scope.ts";
import { Tracker } from "./tracking/tracker.ts";

/** Opens the recorded checkpoints of a session's log, and the recorder. */
export async function openCheckpoints(
  {
    logId,
    workspace,
    world,
    paths,
    models,
    store: sessions,
    environment,
    publish,
    tree: openTree,
  }: SessionHost,
  keys: CheckpointSettings,
): Promise<Checkpoints> {
  const { files, random, machine } = world;
  const tree = await openTree();
  const { root } = workspace;
  const all = checkpointsFolder(paths.data);
  const key = checkpointKey(await models.logKey(), logId);
  const pause = () => tree.pause(new AbortController().signal);
  const folder = join(all, logId);
  const store = await CheckpointStore.open({ files, random, folder, key, log: logId, root, pause });
  if (store.damage !== undefined) {
    const { reason, message, fields } = store.damage;
    publish({ kind: "Error", payload: { reason, message, details: { ...fields } } });
  }
  const mayGo = async (log: LogId) => {
    const info = await sessions.find(log);
    // A store that lacks the log may have been moved away, with its pins: these checkpoints stay.
    if (info === undefined) return false;
    const { heldBy, pinned } = info;
    return !pinned && (heldBy === undefined || !machine.isAlive(heldBy.pid, heldBy.processStart));
  };
  const tracking = {
    world,
    files,
    tree,
    root,
    scope: recordingScope(root, await resolveHome(files, environment["HOME"]), tree),
    exclude: [...(await cinchDirectories(files, paths)), harnessSecretsFolders(root).own],
    configFiles: gitConfigFiles(environment),
    store,
    room: () =>
      unwritableUnless(all, () =>
        spaceFor({
          files,
          folder: all,
          log: logId,
          bytesMax: keys.bytesMax,
          mayGo,
          onLetGo: (logs, bytes) =>
            publish({
              kind: "CustomEvent",
              payload: { namespace: "cinch", kind: "CheckpointsLetGo", payload: { logs, bytes } },
            }),
        }),
      ),
    lastEvent: async () => (await sessions.find(logId))?.lastEvent ?? 0,
  };
  return new Checkpoints({ world, tracking, store, tracker: await Tracker.open(tracking) });
}

/** Returns the user's git configuration files: their settings can change what git writes into a working tree. */
function gitConfigFiles(environment: Readonly<Record<string, string | undefined>>): readonly string[] {
  const home = environment["HOME"];
  const config = environment["XDG_CONFIG_HOME"] ?? (home === undefined ? undefined : join(home, ".config"));
  return [
    "/etc/gitconfig",
    "/etc/gitattributes",
    ...(home === undefined ? [] : [join(home, ".gitconfig")]),
    ...(config === undefined ? [] : [join(config, "git", "config"), join(config, "git", "attributes")]),
  ];
}

/** Turns errors of the disk into CheckpointUnwritable, since the call's files cannot be recorded then. */
async function unwritableUnless<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (thrown) {
    if (codeOf(thrown) === undefined) throw thrown;
    throw new HarnessError("CheckpointUnwritable", { path, detail: messageOf(thrown) }, { cause: thrown });
  }
}
