import { unreachable } from "../../base/assert.ts";
import type {
  ConfigKey,
  ConfigSection,
  FilePosition,
  Merge,
  SettingsFile,
} from "../../session/config-section.ts";
import { PRESET_DEFAULT } from "../profile-files.ts";
import { permissionsSection } from "../sections/permissions.ts";
import type { Table } from "../table.ts";
import { isIn } from "./read-section.ts";

/** A key that a file may hold, with the value that it has there. */
export interface WrittenKey extends FilePosition {
  /** With the names of its tables and dots between them, wherever a file has it: `limits.rounds`. */
  readonly id: string;
  readonly declared: ConfigKey;
  /** The name of its section. */
  readonly section: string;
  readonly merge: Merge;
  /** Value as the file holds it; undefined if it does not have the key. */
  readonly value: unknown;
}

/** Returns every key that a file of this kind may hold, in the order of the declarations. The file was read before. */
export function writtenKeys(
  table: Table,
  file: SettingsFile,
  sections: readonly ConfigSection[],
): readonly WrittenKey[] {
  return sections.flatMap((section) => keysIn(table, file, section));
}

function keysIn(table: Table, file: SettingsFile, section: ConfigSection): readonly WrittenKey[] {
  if (!isIn(section, file)) return file === "config" ? aliases(table, section) : [];
  const before = `${section.name}.`;
  switch (section.shape) {
    case "top":
      return keysOf(table, section, { file, before: "" });
    case "table":
      return keysOf(tableAt(table, section.name), section, { file, before, around: table });
    case "list":
      return [listKey(table, section.name, [])];
    case "named":
      return (tableAt(table, section.name)?.named() ?? []).flatMap(([name, each]) =>
        keysOf(each, section, { file, before: `${before}${name}.` }),
      );
    default:
      return unreachable(section);
  }
}

/** Returns the keys of a section that has its own table, such as the permissions of a preset. */
export function writtenKeysOf(
  table: Table,
  file: SettingsFile,
  section: ConfigSection,
): readonly WrittenKey[] {
  return keysOf(table, section, { file, before: `${section.name}.` });
}

/** Returns a list of tables as one key. `empty` is its default. */
export function listKey(table: Table, name: string, empty?: readonly string[]): WrittenKey {
  const none = empty === undefined ? {} : { default: empty };
  const declared: ConfigKey = { kind: "texts", key: name, meaning: "", example: [], ...none };
  return {
    id: name,
    declared,
    section: name,
    merge: "add",
    value: table.written(name),
    ...table.where(name),
  };
}

/** Returns the name of the preset of a profile, which stands where other profiles have a table. */
export function presetKey(table: Table): WrittenKey {
  const { name: id } = permissionsSection;
  const declared: ConfigKey = {
    kind: "text",
    key: id,
    meaning: "",
    example: PRESET_DEFAULT,
    default: PRESET_DEFAULT,
  };
  return { id, declared, section: id, merge: "replace", value: table.written(id), ...table.where(id) };
}

/** Returns the keys of a section of profiles that config.toml has at its top. */
function aliases(table: Table, { name, keys }: ConfigSection): readonly WrittenKey[] {
  return Object.values(keys).flatMap((declared) => {
    const { configKey, key, merge = "replace" } = declared;
    if (configKey === undefined) return [];
    const value = table.written(configKey);
    return [{ id: `${name}.${key}`, declared, section: name, merge, value, ...table.where(configKey) }];
  });
}

interface Naming {
  readonly file: SettingsFile;
  /** The names of the tables around the keys, with a dot behind each. */
  readonly before: string;
  /** The table around this one, for the place of a table that the file does not have. */
  readonly around?: Table;
}

function keysOf(table: Table | undefined, section: ConfigSection, naming: Naming): readonly WrittenKey[] {
  const { file, before, around } = naming;
  return Object.values(section.keys).flatMap((declared): readonly WrittenKey[] => {
    const { key, merge = "replace" } = declared;
    if (declared.in !== undefined && declared.in !== file) return [];
    const facts = { id: before + key, declared, section: section.name, merge };
    if (declared.kind === "text-table") {
      const texts = table === undefined ? undefined : tableAt(table, key);
      return (texts?.keys() ?? []).map((name) => ({
        ...facts,
        id: `${before}${key}.${name}`,
        value: texts?.written(name),
        ...whereIn(texts, name),
      }));
    }
    if (table !== undefined) return [{ ...facts, value: table.written(key), ...table.where(key) }];
    return [{ ...facts, value: undefined, ...whereIn(around, section.name) }];
  });
}

function whereIn(table: Table | undefined, key: string): FilePosition {
  return table?.where(key) ?? { path: "", line: 1, key };
}

function tableAt(table: Table, name: string): Table | undefined {
  return table.isTable(name) ? table.table(name) : undefined;
}
