import type { Files } from "../../base/world.ts";
import type { AcknowledgedFile } from "../../config/project.ts";
import { readOnly } from "../../config/settings/read-section.ts";
import type { Following } from "../../config/table.ts";
import { parseToml, readToml } from "../../config/toml.ts";
import type { ConfiguredHook } from "./config.ts";
import { hooksSection } from "./config.ts";

/** Reads a file that contains only hooks. Returns none if it does not exist. */
export async function readHookFile(
  files: Files,
  path: string,
  following?: Following,
): Promise<readonly ConfiguredHook[]> {
  const file = await readToml(files, path);
  return file === undefined ? [] : readOnly(file, hooksSection, following);
}

/** Parses a repository's file of hooks from the bytes that a person has acknowledged. */
export async function parseAcknowledgedHooks(
  { path, bytes }: AcknowledgedFile,
  following?: Following,
): Promise<readonly ConfiguredHook[]> {
  return readOnly(await parseToml(path, bytes), hooksSection, following);
}
