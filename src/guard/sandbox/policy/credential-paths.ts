import { join } from "node:path";
import type { World } from "../../../base/world.ts";
import { environmentPaths, resolveHome, usualCredentialPaths, withQuickLooks } from "./hidden-paths.ts";
import type { KeyFiles } from "./key-files.ts";
import { keyFiles } from "./key-files.ts";

export interface CredentialSources {
  /** Resolved. */
  readonly home: string | undefined;
  /** The workspace, resolved. */
  readonly root: string;
  readonly platform: Parameters<typeof usualCredentialPaths>[1];
  readonly environment: Readonly<Record<string, string>>;
  /** Further paths that the sandbox settings hide. */
  readonly hidden: readonly string[];
}

/**
 * Returns where credentials lie, existing or not: the usual paths, those that variables name, and those that
 * settings hide.
 */
export function credentialPaths({
  home,
  root,
  platform,
  environment,
  hidden,
}: CredentialSources): readonly string[] {
  return [
    ...usualCredentialPaths(home, platform),
    ...environmentPaths(environment, home === undefined ? [root] : [root, home]),
    ...hidden.map((path) => expandHome(path, home)),
  ];
}

/** Expands `~/` in a path from the settings. */
export function expandHome(path: string, home: string | undefined): string {
  return path.startsWith("~/") ? join(home ?? "/", path.slice(2)) : path;
}

/** Returns the key files by which the calls of one session are judged. `root`: the workspace, resolved. */
export function sessionKeyFiles({ world, root, environment, hidden }: SessionKeySources): KeyFiles {
  const { files, machine, log } = world;
  const places = async () =>
    credentialPaths({
      home: await resolveHome(files, environment["HOME"]),
      root,
      platform: machine.platform,
      environment,
      hidden,
    });
  const looks = async () => await withQuickLooks(files, environment["HOME"]);
  return keyFiles(files, places, log, looks);
}

interface SessionKeySources extends Pick<CredentialSources, "root" | "environment" | "hidden"> {
  readonly world: Pick<World, "files" | "machine" | "log">;
}
