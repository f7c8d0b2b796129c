import { durationMs } from "../../base/text/duration.ts";
import type {
  ConfigKey,
  ConfigKeys,
  ConfigOf,
  ConfigSection,
  ListSection,
  SettingsFile,
  TableSection,
} from "../../session/config-section.ts";
import type { SectionValues } from "../../session/settings/settings.ts";
import type { Following } from "../table.ts";
import { Table } from "../table.ts";
import type { TomlFile } from "../toml.ts";

/** The values of the sections of one file, and the tables in which an unknown key is only a warning. */
export interface ReadSections {
  readonly values: SectionValues;
  readonly loose: readonly Table[];
}

type Values = Readonly<Record<string, unknown>>;

/** Returns the value of a section in one file; undefined if the file does not have it. */
export function saidOf<Section extends ConfigSection>(
  values: SectionValues,
  section: Section,
): ConfigOf<Section> | undefined {
  // The map was filled by the reader of this very declaration.
  return values.get(section.name) as ConfigOf<Section> | undefined;
}

/**
 * Reads the sections that a file of this kind may hold.
 * @throws HarnessError ConfigInvalid with file, line and key for the first value or key that is refused.
 */
export function readSections(
  table: Table,
  file: SettingsFile,
  sections: readonly ConfigSection[],
): ReadSections {
  const values = new Map<string, unknown>();
  const loose: Table[] = [];
  for (const section of sections) {
    const value = readSection(table, file, section, loose);
    if (value !== undefined) values.set(section.name, value);
  }
  return { values, loose };
}

function readSection(parent: Table, file: SettingsFile, section: ConfigSection, loose: Table[]): unknown {
  if (!isIn(section, file)) {
    const others = Object.entries(section.keys).filter(([, key]) => key.configKey !== undefined);
    if (file !== "config" || others.length === 0) return undefined;
    return withoutEmpty(readKeys(parent, Object.fromEntries(others), { file, name: topName }));
  }
  switch (section.shape) {
    case "top":
      return withoutEmpty(readKeys(parent, section.keys, { file }));
    case "table": {
      const table = parent.table(section.name);
      if (table === undefined) return undefined;
      if (section.unknown === "warn") loose.push(table);
      return readTable(table, file, section);
    }
    case "list":
      return readList(parent, file, section);
    case "named": {
      const tables = parent.table(section.name);
      return tables?.named().map(([name, table]) => {
        const problem = section.checkName?.(name);
        if (problem !== undefined) throw tables.problem(name, problem);
        const values = readKeys(table, section.keys, { file, isEntry: true });
        table.refuseUnknown(meaningsOf(section));
        requireKeys(table, section.keys, values);
        throwProblem(table, section.check?.(values, name));
        return { ...values, name };
      });
    }
  }
}

/**
 * Reads the table of a section.
 * @throws HarnessError ConfigInvalid.
 */
export function readTable<Section extends TableSection>(
  table: Table,
  file: SettingsFile,
  section: Section,
): ConfigOf<Section> {
  const values = readKeys(table, section.keys, { file });
  if (section.unknown !== "warn") table.refuseUnknown(meaningsOf(section));
  requireKeys(table, section.keys, values);
  throwProblem(table, section.check?.(values));
  // Each property is the value of the key that declares it.
  return values as ConfigOf<Section>;
}

function readList(
  parent: Table,
  file: SettingsFile,
  section: Extract<ConfigSection, { readonly shape: "list" }>,
): readonly unknown[] {
  const tables = parent.tables(section.name);
  const { itemsMax } = section;
  if (itemsMax !== undefined && tables.length > itemsMax)
    throw parent.problem(section.name, `holds more than ${itemsMax}`);
  const [first = "name"] = Object.values(section.keys).map(({ key }) => key);
  const entries = tables.map((table) => {
    const values = readKeys(table, section.keys, { file, isEntry: true });
    table.refuseUnknown(meaningsOf(section));
    requireKeys(table, section.keys, values);
    throwProblem(table, section.check?.(values));
    return { ...values, where: table.where(section.place ?? first) };
  });
  const problem = section.checkAll?.(entries);
  if (problem !== undefined) throw parent.problem(section.name, problem);
  const { entry } = section;
  // An entry has the types of the keys in the same declaration.
  return entry === undefined ? entries : entries.map((each) => (entry as (value: unknown) => unknown)(each));
}

interface KeyReading {
  /** `project` is the own settings file of a repository. */
  readonly file: SettingsFile | "project";
  /** The name of a key in this file; its own when omitted. */
  readonly name?: (key: ConfigKey) => string;
  /** An entry of a list has its defaults at once: no other file adds to it. */
  readonly isEntry?: boolean;
}

/** Reads the keys of a table. */
export function readKeys(table: Table, keys: ConfigKeys, reading: KeyReading): Values {
  const values: Record<string, unknown> = {};
  for (const [property, key] of Object.entries(keys)) {
    if (key.in !== undefined && key.in !== reading.file && reading.file !== "project") continue;
    const name = reading.name?.(key) ?? key.key;
    table.example(name, key.example);
    const value =
      readKey(table, name, key, reading) ?? (reading.isEntry === true ? defaultOf(key, values) : undefined);
    if (value !== undefined) values[property] = value;
  }
  return values;
}

/** Throws for a mandatory key that is missing. Unknown keys are refused before: one may be the same key misspelt. */
function requireKeys(table: Table, keys: ConfigKeys, values: Values): void {
  for (const [property, { key, required }] of Object.entries(keys))
    if (required !== undefined && values[property] === undefined) throw table.problem(key, required);
}

function readKey(table: Table, name: string, key: ConfigKey, reading: KeyReading): unknown {
  switch (key.kind) {
    case "tables":
      return readTables(table, name, key, reading);
    case "text-table":
      return readTexts(table.table(name), key);
    case "boolean":
      return checked(table, { name, key, file: reading.file }, table.boolean(name));
    case "integer":
      return checked(table, { name, key, file: reading.file }, table.integer(name, key.min));
    case "number":
    case "seconds":
      return checked(table, { name, key, file: reading.file }, table.number(name, key.min));
    case "word":
      return checked(table, { name, key, file: reading.file }, table.oneOf(name, key.words));
    case "texts":
      return checked(table, { name, key, file: reading.file }, table.strings(name));
    case "text":
    case "duration":
      return checked(table, { name, key, file: reading.file }, table.string(name));
  }
}

type Checked<Written> = ConfigKey & {
  readonly check?: (written: Written) => string | undefined;
  readonly checkInProject?: (written: Written) => string | undefined;
};

/** Returns the value for the code from a written one of the right type. */
function checked<Written>(
  table: Table,
  {
    name,
    key,
    file,
  }: { readonly name: string; readonly key: Checked<Written>; readonly file: KeyReading["file"] },
  written: Written | undefined,
): unknown {
  if (written === undefined) return undefined;
  const check = file === "project" ? (key.checkInProject ?? key.check) : key.check;
  const problem = check?.(written) ?? limitProblem(key, written);
  if (problem !== undefined) throw table.problem(name, problem);
  return codeValue(key, written);
}

/** Returns why a value lies outside the limits of its kind, as the end of the sentence "KEY: …". */
function limitProblem(key: ConfigKey, written: unknown): string | undefined {
  switch (key.kind) {
    case "duration":
      return durationProblem(key, String(written));
    case "integer":
    case "number":
    case "seconds":
      return key.max === undefined || Number(written) <= key.max
        ? undefined
        : `must be at most ${key.max}${key.unit === undefined ? "" : ` ${key.unit}`}`;
    default:
      return undefined;
  }
}

/** Turns the value that a file holds into that of the code. */
export function codeValue(key: ConfigKey, written: unknown): unknown {
  // Its type was checked by the kind of the key.
  if (key.as !== undefined) return (key.as as (written: unknown) => unknown)(written);
  if (key.kind === "duration") return durationMs(String(written));
  return key.kind === "seconds" ? Number(written) * 1_000 : written;
}

/** Returns the default of a key in the form of a file; undefined without one. */
export function writtenDefault(key: ConfigKey, values: Values): unknown {
  return typeof key.default === "function" ? key.default(values) : key.default;
}

function defaultOf(key: ConfigKey, values: Values): unknown {
  const written = writtenDefault(key, values);
  return written === undefined ? undefined : codeValue(key, written);
}

function durationProblem({ zero, max }: Extract<ConfigKey, { readonly kind: "duration" }>, text: string) {
  const ms = durationMs(text);
  if (max !== undefined && ms > durationMs(max)) return `must be at most "${max}"`;
  if (ms > 0 || (ms === 0 && zero !== undefined)) return undefined;
  const examples = zero === undefined ? '"90s", "10m" or "2h"' : '"90s", "30m", "12h" or "2d"';
  return `must be a length of time such as ${examples}`;
}

function readTables(
  parent: Table,
  name: string,
  key: Extract<ConfigKey, { readonly kind: "tables" }>,
  reading: KeyReading,
): readonly Values[] {
  const tables = parent.tables(name);
  if (tables.length > key.itemsMax) throw parent.problem(name, `holds more than ${key.itemsMax} ${name}`);
  return tables.map((table) => {
    const values = readKeys(table, key.keys, { file: reading.file, isEntry: true });
    table.refuseUnknown();
    requireKeys(table, key.keys, values);
    throwProblem(table, key.checkItem?.(values));
    return values;
  });
}

function readTexts(
  table: Table | undefined,
  key: Extract<ConfigKey, { readonly kind: "text-table" }>,
): Readonly<Record<string, string>> | undefined {
  if (table === undefined) return undefined;
  const entries = table.keys().map((name) => {
    const value = table.string(name) ?? "";
    const problem = key.checkEntry?.(name, value);
    if (problem !== undefined) throw table.problem(name, problem);
    return [name, value] as const;
  });
  return Object.fromEntries(entries);
}

/** True for a section whose own keys a file of this kind may hold. */
export function isIn(section: ConfigSection, file: SettingsFile): boolean {
  return section.in === undefined || section.in === file;
}

function topName(key: ConfigKey): string {
  return key.configKey ?? key.key;
}

function meaningsOf({ otherWords = {} }: ConfigSection): ReadonlyMap<string, string> {
  return new Map(Object.entries(otherWords));
}

function throwProblem(
  table: Table,
  found: { readonly key: string; readonly problem: string } | undefined,
): void {
  if (found !== undefined) throw table.problem(found.key, found.problem);
}

function withoutEmpty(values: Values): Values | undefined {
  return Object.keys(values).length === 0 ? undefined : values;
}

/**
 * Reads a file that holds nothing but one list.
 * @throws HarnessError ConfigInvalid.
 */
export function readOnly<Section extends ListSection>(
  file: TomlFile,
  section: Section,
  following?: Following,
): ConfigOf<Section> {
  const table = new Table(file, [], file.value, following);
  const entries = readList(table, "config", section);
  table.refuseUnknown();
  // Each entry was read by the same declaration.
  return entries as ConfigOf<Section>;
}
