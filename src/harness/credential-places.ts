import { join } from "node:path";
import type { Files } from "../base/world.ts";
import type { SandboxSettings } from "../profile/sandbox.ts";
import { candidates, namedPlaces, resolvedHome } from "../sandbox/hidden-places.ts";
import type { KeyFiles } from "../sandbox/key-files.ts";
import { keyFiles } from "../sandbox/key-files.ts";
import type { RunMaterial } from "./run-material.ts";

export interface CredentialSources {
  /** Resolved. */
  readonly home: string | undefined;
  /** The workspace, resolved. */
  readonly root: string;
  readonly platform: Parameters<typeof candidates>[1];
  readonly environment: Readonly<Record<string, string>>;
  /** What `config.toml` and the profile say of the sandbox. */
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

/** The key files that the calls of one session are judged by. */
export function sessionKeys({ workspace, profile, defaults }: SessionKeySources, files: Files): KeyFiles {
  const { world, environment, config } = defaults;
  return keyFiles(files, async () =>
    credentialPlaces({
      home: await resolvedHome(files, environment["HOME"]),
      root: workspace.root,
      platform: world.machine.platform,
      environment,
      settings: [config.sandbox, profile.sandbox],
    }),
  );
}

type SessionKeySources = Pick<RunMaterial, "workspace" | "profile" | "defaults">;
