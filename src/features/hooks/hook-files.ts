import type { Files } from "../../base/world.ts";
import type { AcknowledgedFile } from "../../config/project.ts";
import { readOnly } from "../../config/settings/read-section.ts";
import type { Following } from "../../config/table.ts";
import { parseToml, readToml } from "../../config/toml.ts";
import type { ConfiguredHook } from "./config.ts";
import { hooksSection } from "./config.ts";

/** Reads a file that holds nothing but hooks; empty if it does not exist. */
export async function readHooks(
  files: Files,
  path: string,
  following?: Following,
): Promise<readonly ConfiguredHook[]> {
  const file = await readToml(files, path);
  return file === undefined ? [] : readOnly(file, hooksSection, following);
}

/** The same for a repository's file, from the bytes that a person has acknowledged. */
export async function acknowledgedHooks(
  { path, bytes }: AcknowledgedFile,
  following?: Following,
): Promise<readonly ConfiguredHook[]> {
  return readOnly(await parseToml(path, bytes), hooksSection, following);
}
