import { join } from "node:path";
import type { World } from "../../../base/world.ts";
import type { SandboxSettings } from "../../../config/sections/sandbox.ts";
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
  /** Sandbox settings of `config.toml` and the profile. */
  readonly settings: readonly (SandboxSettings | undefined)[];
}

/** Returns where credentials lie, there or not: the usual places, those that variables name, and what is to be hidden. */
export function credentialPlaces({
  home,
  root,
  platform,
  environment,
  settings,
}: CredentialSources): readonly string[] {
  return [
    ...candidates(home, platform),
    ...namedPlaces(environment, home === undefined ? [root] : [root, home]),
    ...settings.flatMap((each) => (each?.hidden ?? []).map((path) => inHome(path, home))),
  ];
}

/** A path as settings write it. */
export function inHome(path: string, home: string | undefined): string {
  return path.startsWith("~/") ? join(home ?? "/", path.slice(2)) : path;
}

/** Returns the key files that the calls of one session are judged by. `root`: the workspace, resolved. */
export function sessionKeys({ world, root, environment, settings }: SessionKeySources): KeyFiles {
  const { files, machine, log } = world;
  const places = async () =>
    credentialPlaces({
      home: await resolvedHome(files, environment["HOME"]),
      root,
      platform: machine.platform,
      environment,
      settings,
    });
  return keyFiles(files, places, log);
}

interface SessionKeySources extends Pick<CredentialSources, "root" | "environment" | "settings"> {
  readonly world: Pick<World, "files" | "machine" | "log">;
}
