import { join } from "node:path";
import { HarnessError } from "../base/errors.ts";
import type { World } from "../base/world.ts";
import type { ConfiguredRule } from "../session/settings/permission-settings.ts";
import { EMBEDDED } from "./profile-files.ts";
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
/** The key of the promoted rules in a file. */
export const PROMOTED = "promoted";

/**
 * Returns the path of the file that holds the promoted rules of a profile: the profile's own file, or for an embedded
 * one `NAME.rules.toml` in the user's folder of profiles.
 */
export function promotedPath(profilePath: string, profilesDir: string): string {
  if (!profilePath.startsWith(EMBEDDED)) return profilePath;
  return join(profilesDir, `${profilePath.slice(EMBEDDED.length)}.rules.toml`);
}

/** A profile of which the promoted rules are read. */
interface PromotingProfile {
  readonly table: Table;
  readonly path: string;
  readonly profilesDir: string;
}

/**
 * Returns the table that holds the promoted rules of a profile: its own, or that of a file apart; undefined
 * without one.
 */
export async function promotedTable(
  { files }: Pick<World, "files">,
  { table, path, profilesDir }: PromotingProfile,
  following: Following,
): Promise<Table | undefined> {
  const apart = promotedPath(path, profilesDir);
  if (apart === path) return table;
  const file = await readToml(files, apart);
  return file === undefined ? undefined : new Table(file, [], file.value, following);
}

/**
 * Reads the promoted rules of a profile.
 * @throws HarnessError ConfigInvalid, for unknown keys too: what allows something must be spelled right.
 */
export async function promotedRules(
  world: Pick<World, "files">,
  profile: PromotingProfile,
  following: Following,
): Promise<{ readonly rules: readonly ConfiguredRule[]; readonly path?: string }> {
  const promotedRules = await promotedTable(world, profile, following);
  if (promotedRules === undefined) return { rules: [] };
  const rules = promotedFrom(promotedRules);
  if (promotedRules === profile.table) return { rules };
  promotedRules.refuseUnknown();
  return { rules, path: promotedPath(profile.path, profile.profilesDir) };
}

/** Reads `[[promoted]]`, each with `rule` and, where it holds in one directory only, `directory`. */
function promotedFrom(parent: Table): readonly ConfiguredRule[] {
  return parent.tables(PROMOTED).map((table) => {
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
 * Adds a promoted rule to the end of a file and creates the file if needed. Everything else in it stays, comments
 * too (PERM-07).
 *
 * A rule that the file already has for this directory, or for all, is not added again. The caller lets one process at a
 * time do this.
 * @throws HarnessError ConfigInvalid for invalid TOML, or if the form of the file allows no addition.
 */
export async function promoteRule(
  files: World["files"],
  path: string,
  { rule, directory }: Promotion,
): Promise<void> {
  const before = (await readToml(files, path)) ?? { path, text: "", value: {} };
  const promotedBefore = promotedFrom(new Table(before));
  const isHeld = promotedBefore.some(
    ({ text, promoted }) =>
      text === rule && (promoted?.directory === undefined || promoted.directory === directory),
  );
  if (isHeld) return;
  const text = withBlock(before.text, [
    `[[${PROMOTED}]]`,
    `rule = ${tomlString(rule)}`,
    ...(directory === undefined ? [] : [`directory = ${tomlString(directory)}`]),
  ]);
  const entry = directory === undefined ? { rule } : { rule, directory };
  if (!(await saysAlso(path, text, { before, entry }))) throw byHand(path, rule);
  await files.writeAtomic(path, text, FILE_MODE);
}

/**
 * True where the new text reads as the old one with the entry added. A list that is written in one line reads
 * as nothing.
 */
async function saysAlso(
  path: string,
  text: string,
  { before, entry }: { readonly before: TomlFile; readonly entry: Promotion },
): Promise<boolean> {
  const listed: unknown = before.value[PROMOTED];
  const wanted = { ...before.value, [PROMOTED]: [...(Array.isArray(listed) ? listed : []), entry] };
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

/** Returns a TOML basic string. A JSON string is one, but for DEL. */
function tomlString(text: string): string {
  return JSON.stringify(text).replaceAll("\u007f", "\\u007f");
}

function byHand(path: string, rule: string, cause?: unknown): HarnessError {
  const problem = `the rule "${rule}" could not be added to the existing text; add it by hand`;
  return new HarnessError(
    "ConfigInvalid",
    { path, line: "1", key: PROMOTED, problem },
    cause === undefined ? undefined : { cause },
  );
}
