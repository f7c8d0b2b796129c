import type { ConfigKey, ConfigSection } from "../session/config-section.ts";
import type { ProjectSettings, SectionValues } from "../session/settings/settings.ts";
import { permissionSettings, permissionsSection } from "./sections/permissions.ts";
import { readKeys, saidOf } from "./settings/read-section.ts";
import type { WrittenKey } from "./settings/written-keys.ts";
import { writtenKeys, writtenKeysOf } from "./settings/written-keys.ts";
import type { Following } from "./table.ts";
import { Table } from "./table.ts";
import { parseToml } from "./toml.ts";

/** A project's file whose bytes a person has acknowledged: these bytes are read, the file is not opened again. */
export interface AcknowledgedFile {
  /** For messages. */
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** The problem of a key that only the user may set. */
export const NOT_A_PROJECTS = "a repository may not set this; only your own configuration can";

/** Keys of the user alone, whose content stands in other files beside config.toml. */
const USERS_FILES: readonly string[] = ["skills", "aliases"];

/**
 * Reads `.cinch/config.toml`: only keys that are declared with `project: "restrict"`.
 * @throws HarnessError ConfigInvalid with file, line and key for an unknown key, and for a value that would widen
 * a permission.
 */
export async function projectConfig(
  { path, bytes }: AcknowledgedFile,
  sections: readonly ConfigSection[],
  following?: Following,
): Promise<ProjectSettings> {
  const file = await parseToml(path, bytes);
  const table = new Table(file, [], file.value, following);
  const users = table.keys().find((name) => isUsers(name, sections));
  if (users !== undefined) throw table.problem(users, topProblem(table, users, sections) ?? NOT_A_PROJECTS);
  const values = new Map<string, unknown>();
  for (const section of sections) {
    const keys = restrictedKeys(section);
    if (keys.length === 0) continue;
    const sectionTable = section.in === "profile" ? table : table.table(section.name);
    if (sectionTable === undefined) continue;
    if (sectionTable !== table) refuseOthers(sectionTable, section);
    values.set(section.name, readRestricting(sectionTable, keys, sectionTable === table));
    if (sectionTable !== table) sectionTable.refuseUnknown();
  }
  table.refuseUnknown();
  return settingsIn(values, (effect) => table.where(permissionsSection.name, effect));
}

/** Reads `.cinch/permissions.toml`: the content of `[permissions]` of a project's config.toml, in a separate file. */
export async function projectPermissions(
  { path, bytes }: AcknowledgedFile,
  following?: Following,
): Promise<ProjectSettings> {
  const file = await parseToml(path, bytes);
  const table = new Table(file, [], file.value, following);
  refuseOthers(table, permissionsSection);
  const values = readRestricting(table, restrictedKeys(permissionsSection), false);
  table.refuseUnknown();
  return settingsIn(new Map([[permissionsSection.name, values]]), (effect) => table.where(effect));
}

/** Returns every key that a project's file may hold, with its value. The file has been read before. */
export async function projectKeys(
  { path, bytes }: AcknowledgedFile,
  kind: "config" | "permission-preset",
  sections: readonly ConfigSection[],
): Promise<readonly WrittenKey[]> {
  const table = new Table(await parseToml(path, bytes));
  if (kind === "permission-preset") return writtenKeysOf(table, "config", permissionsSection);
  return writtenKeys(
    table,
    "config",
    sections.filter((section) => restrictedKeys(section).length > 0),
  );
}

/**
 * Returns the place for a key that stands in a profile's table, if a repository may set it elsewhere; else undefined.
 */
function topProblem(table: Table, name: string, sections: readonly ConfigSection[]): string | undefined {
  const section = sections.find((each) => each.in === "profile" && each.name === name);
  if (section === undefined || !table.isTable(name)) return undefined;
  const written = table.table(name)?.keys() ?? [];
  const key = restrictedKeys(section).find(([, each]) => written.includes(each.key))?.[1];
  if (key === undefined) return undefined;
  return `write it at the top: ${key.configKey ?? key.key} = ${JSON.stringify(table.table(name)?.written(key.key))}`;
}

function settingsIn(
  values: SectionValues,
  whereIs: Parameters<typeof permissionSettings>[1],
): ProjectSettings {
  return { sections: values, permissions: permissionSettings(saidOf(values, permissionsSection), whereIs) };
}

/** Returns the keys of a section that a repository may tighten, by the names of their properties. */
function restrictedKeys({ keys }: ConfigSection): readonly (readonly [string, ConfigKey])[] {
  return Object.entries(keys).filter(([, { project }]) => project === "restrict");
}

/** True for a key or table at the top that the user's own files may hold and a repository's may not. */
function isUsers(name: string, sections: readonly ConfigSection[]): boolean {
  if (USERS_FILES.includes(name)) return true;
  const named = sections.flatMap((section): readonly (readonly [string, boolean])[] => {
    const keys = Object.values(section.keys);
    const others = keys.flatMap(({ configKey, project }) =>
      configKey === undefined ? [] : [[configKey, project === "restrict"] as const],
    );
    if (section.shape === "top") return keys.map(({ key, project }) => [key, project === "restrict"]);
    const isTable = section.in !== "profile" && restrictedKeys(section).length > 0;
    return [[section.name, isTable], ...others];
  });
  return named.some(([key, isRestricting]) => key === name && !isRestricting);
}

/**
 * Returns true for a top-level key or table that a repository's profile may hold: one declared so, an unknown one, or a
 * switch at its default.
 */
export function repositoryProfileMayHold(
  name: string,
  value: unknown,
  sections: readonly ConfigSection[],
): boolean {
  if (USERS_FILES.includes(name)) return false;
  for (const section of sections) {
    const { inRepositoryProfile: ofSection = false } = section;
    if (section.shape !== "top" && section.name === name) return ofSection;
    for (const key of Object.values(section.keys)) {
      if (key.configKey === name) return false;
      if (section.shape !== "top" || key.key !== name) continue;
      const isHarmless = key.kind === "boolean" && value === key.default;
      return isHarmless || (key.inRepositoryProfile ?? ofSection);
    }
  }
  return true;
}

/** Refuses the keys of a table that a repository may not set. Such a list may be present if it is empty. */
function refuseOthers(table: Table, { keys }: ConfigSection): void {
  for (const key of Object.values(keys)) {
    if (key.project === "restrict") continue;
    const written = table.written(key.key);
    const isEmpty = key.refusal !== undefined && Array.isArray(written) && written.length === 0;
    if (written !== undefined && !isEmpty) throw table.problem(key.key, key.refusal ?? NOT_A_PROJECTS);
  }
}

function readRestricting(
  table: Table,
  keys: readonly (readonly [string, ConfigKey])[],
  isAtTop: boolean,
): Readonly<Record<string, unknown>> {
  const nameOf = (key: ConfigKey) => (isAtTop ? (key.configKey ?? key.key) : key.key);
  const values = readKeys(table, Object.fromEntries(keys), { file: "project", name: nameOf });
  for (const [property, key] of keys) {
    const problem = looseProblem(key, values[property]);
    if (problem !== undefined) throw table.problem(nameOf(key), problem);
  }
  return values;
}

/** Returns the reason if a value is the loosest one and so restricts nothing; else undefined. */
function looseProblem({ tightestFirst, refusal }: ConfigKey, value: unknown): string | undefined {
  if (tightestFirst === undefined || value !== tightestFirst.at(-1)) return undefined;
  const others = tightestFirst.slice(0, -1).map((each) => JSON.stringify(each));
  return refusal ?? `a repository can only set this to ${others.join(" or ")}`;
}
