import { join } from "node:path";
import { HarnessError } from "../base/errors.ts";
import type { World } from "../base/world.ts";
import { EMBEDDED } from "./profile-files.ts";
import type { ConfiguredRule } from "./sections/permissions.ts";
import type { Following } from "./table.ts";
import { Table } from "./table.ts";
import type { TomlFile } from "./toml.ts";
import { parseToml, readToml } from "./toml.ts";

/** A rule that a person allowed in a session, and then in later ones. */
export interface Promotion {
  readonly rule: string;
  /** Absolute and resolved. The rule holds in sessions that work in it or below; everywhere when omitted. */
  readonly directory?: string;
}

const FILE_MODE = 0o600;
const KEY = "promoted";

/**
 * Returns the path of the file that holds the promoted rules of a profile: the profile's own file, or for an embedded one
 * `NAME.rules.toml` in the user's folder of profiles.
 */
export function promotedPath(profilePath: string, profilesDir: string): string {
  if (!profilePath.startsWith(EMBEDDED)) return profilePath;
  return join(profilesDir, `${profilePath.slice(EMBEDDED.length)}.rules.toml`);
}

/**
 * Reads the promoted rules of a profile.
 * @throws HarnessError ConfigInvalid, for unknown keys too: what allows something must be spelled right.
 */
export async function promotedRules(
  { files }: Pick<World, "files">,
  profile: { readonly table: Table; readonly path: string; readonly profilesDir: string },
  following: Following,
): Promise<{ readonly rules: readonly ConfiguredRule[]; readonly path?: string }> {
  const { table, path, profilesDir } = profile;
  const apart = promotedPath(path, profilesDir);
  if (apart === path) return { rules: promotedFrom(table) };
  const file = await readToml(files, apart);
  if (file === undefined) return { rules: [] };
  const own = new Table(file, [], file.value, following);
  const rules = promotedFrom(own);
  own.refuseUnknown();
  return { rules, path: apart };
}

/** Reads `[[promoted]]`, each with `rule` and, where it holds in one directory only, `directory`. */
function promotedFrom(parent: Table): readonly ConfiguredRule[] {
  return parent.tables(KEY).map((table) => {
    const text = table.string("rule");
    if (text === undefined) throw table.problem("rule", "is missing");
    const directory = table.string("directory");
    if (directory !== undefined && !directory.startsWith("/"))
      throw table.problem("directory", "must be an absolute path");
    table.refuseUnknown();
    const promoted = directory === undefined ? {} : { directory };
    return { effect: "allow", text, where: table.where("rule"), promoted };
  });
}

/**
 * Adds a promoted rule to the end of a file, which is made where there is none. Everything else in it, comments too, stays
 * as it is (PERM-07). A rule that the file has for this directory, or everywhere, is not written again. The caller lets one
 * process at a time do this.
 * @throws HarnessError ConfigInvalid where the file is no TOML, or is written in a way that is not added to here.
 */
export async function promoteRule(
  files: World["files"],
  path: string,
  { rule, directory }: Promotion,
): Promise<void> {
  const before = (await readToml(files, path)) ?? { path, text: "", value: {} };
  const held = promotedFrom(new Table(before));
  const isHeld = held.some(
    ({ text, promoted }) =>
      text === rule && (promoted?.directory === undefined || promoted.directory === directory),
  );
  if (isHeld) return;
  const text = withBlock(before.text, [
    `[[${KEY}]]`,
    `rule = ${tomlString(rule)}`,
    ...(directory === undefined ? [] : [`directory = ${tomlString(directory)}`]),
  ]);
  const entry = directory === undefined ? { rule } : { rule, directory };
  if (!(await saysAlso(path, text, { before, entry }))) throw byHand(path, rule);
  await files.writeAtomic(path, text, FILE_MODE);
}

/** True where the new text reads as the old one with the entry added. A list that is written in one line reads as nothing. */
async function saysAlso(
  path: string,
  text: string,
  { before, entry }: { readonly before: TomlFile; readonly entry: Promotion },
): Promise<boolean> {
  const listed: unknown = before.value[KEY];
  const wanted = { ...before.value, [KEY]: [...(Array.isArray(listed) ? listed : []), entry] };
  try {
    return Bun.deepEquals((await parseToml(path, text)).value, wanted);
  } catch (thrown) {
    if (!(thrown instanceof HarnessError)) throw thrown;
    throw byHand(path, entry.rule, thrown);
  }
}

function withBlock(text: string, block: readonly string[]): string {
  const gap = text === "" ? "" : text.endsWith("\n") ? "\n" : "\n\n";
  return `${text}${gap}${block.join("\n")}\n`;
}

/** JSON strings are TOML basic strings, but for DEL. */
function tomlString(text: string): string {
  return JSON.stringify(text).replaceAll("\u007f", "\\u007f");
}

function byHand(path: string, rule: string, cause?: unknown): HarnessError {
  const problem = `the rule "${rule}" could not be added to what stands there; add it by hand`;
  return new HarnessError(
    "ConfigInvalid",
    { path, line: "1", key: KEY, problem },
    cause === undefined ? undefined : { cause },
  );
}
