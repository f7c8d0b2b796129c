import { join } from "node:path";
import type { World } from "../../../base/world.ts";
import { candidates, namedPlaces, resolvedHome } from "./hidden-places.ts";
import type { KeyFiles } from "./key-files.ts";
import { keyFiles } from "./key-files.ts";

export interface CredentialSources {
  /** Resolved. */
  readonly home: string | undefined;
  /** The workspace, resolved. */
  readonly root: string;
  readonly platform: Parameters<typeof candidates>[1];
  readonly environment: Readonly<Record<string, string>>;
  /** Further paths that the sandbox settings hide. */
  readonly hidden: readonly string[];
}

/** Returns where credentials lie, there or not: the usual places, those that variables name, and what is to be hidden. */
export function credentialPlaces({
  home,
  root,
  platform,
  environment,
  hidden,
}: CredentialSources): readonly string[] {
  return [
    ...candidates(home, platform),
    ...namedPlaces(environment, home === undefined ? [root] : [root, home]),
    ...hidden.map((path) => inHome(path, home)),
  ];
}

/** A path as settings write it. */
export function inHome(path: string, home: string | undefined): string {
  return path.startsWith("~/") ? join(home ?? "/", path.slice(2)) : path;
}

/** Returns the key files that the calls of one session are judged by. `root`: the workspace, resolved. */
export function sessionKeys({ world, root, environment, hidden }: SessionKeySources): KeyFiles {
  const { files, machine, log } = world;
  const places = async () =>
    credentialPlaces({
      home: await resolvedHome(files, environment["HOME"]),
      root,
      platform: machine.platform,
      environment,
      hidden,
    });
  return keyFiles(files, places, log);
}

interface SessionKeySources extends Pick<CredentialSources, "root" | "environment" | "hidden"> {
  readonly world: Pick<World, "files" | "machine" | "log">;
}
