/**
 * Contract of a section of `config.toml` and of profiles: its keys with all their facts, as plain data. `config/`
 * reads, checks and merges by it; `cinch profile show` and the pages under `docs/configuration/` are made from it. A
 * declaration calls nothing when it is imported and loads nothing but constants.
 */
export type ConfigSection = TopSection | TableSection | ListSection | NamedSection;

/** A declaration of a feature: a section, or keys that it adds to one. */
export type DeclaredSection = ConfigSection | SectionPart;

/** A file that a person writes. A preset and a project's own files hold parts of the same sections. */
export type SettingsFile = "config" | "profile";

/**
 * Rule that makes one value of those in several files.
 * - `replace`: the weightiest counts: a flag, `config.toml`, the profile, the default.
 * - `add`: lists are joined, `config.toml` first.
 * - `lower`: the tightest counts, in whatever file.
 */
export type Merge = "replace" | "add" | "lower";

/** The part of a repository in a key: `restrict` lets its settings tighten the value, `never` refuses the key there. */
export type ProjectRule = "never" | "restrict";

/** A command line flag that sets a key. */
export interface KeyFlag {
  readonly name: string;
  /** Name of the wish that holds its value: a property of `SessionWishes`, or `model` of `EngineOptions`. */
  readonly option: string;
  /** The value that a flag without a value stands for, as a file would hold it. */
  readonly means?: unknown;
}

interface KeyFacts<Written> {
  /** Its name in the file. */
  readonly key: string;
  /** One sentence for the documents. */
  readonly meaning: string;
  /** A value as a file would hold it, for the documents. */
  readonly example: Written;
  /** Default as a file would hold it. A function computes it from the other keys of the section. */
  readonly default?: Written | ((values: Readonly<Record<string, unknown>>) => Written | undefined);
  /** For the documents: what holds without a value, if there is no default. */
  readonly otherwise?: string;
  /** The only file that may hold it; those of the section when omitted. */
  readonly in?: SettingsFile;
  /** Its name at the top of `config.toml`, if its table is one of profiles only. */
  readonly configKey?: string;
  /** Position among the keys of a section that has parts, the smallest first. Unique in the section. */
  readonly order?: number;
  /** `replace` when omitted; lists of a `list` section are added. */
  readonly merge?: Merge;
  /** A profile file of the user goes before `config.toml`; a profile of the program stays behind it. */
  readonly ownProfileFirst?: boolean;
  /** `never` when omitted. */
  readonly project?: ProjectRule;
  /**
   * Values from the tightest to the loosest, for `restrict` and `lower`. Numbers need none: the lower is the tighter.
   */
  readonly tightestFirst?: readonly Written[];
  /** Refusal of a repository's value, instead of the general text. */
  readonly refusal?: string;
  /** A profile that lies in a repository may hold the key. As its section says when omitted. */
  readonly inRepositoryProfile?: boolean;
  /** Set if it names a model that is used later: `cinch profile check` warns of one that cannot be used. */
  readonly namesModel?: true;
  readonly flag?: KeyFlag;
  /** An engine reads the key at its start only: later sessions of it do not see a change. */
  readonly fixedAtStart?: true;
  /** Variables that count if no file says anything, the weightiest first. */
  readonly environment?: readonly string[];
  /** Makes the key mandatory; the end of the sentence "KEY: …" if it is missing. */
  readonly required?: string;
  /** Returns why a value is refused, as the end of the sentence "KEY: …". */
  readonly check?: (written: Written) => string | undefined;
  /** The same for a repository's value, if other values are refused there. */
  readonly checkInProject?: (written: Written) => string | undefined;
  /** Turns the written value into that of the code. */
  readonly as?: (written: Written) => unknown;
}

export interface BooleanKey extends KeyFacts<boolean> {
  readonly kind: "boolean";
  /** Refusal of `true` in a profile within a repository, as the end of the sentence "KEY: …". */
  readonly refusalInRepository?: string;
}

/** `integer` is a whole number; `seconds` is milliseconds in the code. */
export interface NumberKey extends KeyFacts<number> {
  readonly kind: "integer" | "number" | "seconds";
  readonly min: number;
  /** Highest value, included. Default: none. */
  readonly max?: number;
  /** For the documents: tokens, US dollars, days. */
  readonly unit?: string;
}

/** A length of time such as "90s", "10m", "2h"; milliseconds in the code. */
export interface DurationKey extends KeyFacts<string> {
  readonly kind: "duration";
  /** For the documents: the meaning of "0s". Zero is refused when omitted. */
  readonly zero?: string;
  /** Longest value, in the same form. */
  readonly max?: string;
}

export interface TextKey extends KeyFacts<string> {
  readonly kind: "text";
}

export interface WordKey extends KeyFacts<string> {
  readonly kind: "word";
  readonly words: readonly string[];
}

export interface TextsKey extends KeyFacts<readonly string[]> {
  readonly kind: "texts";
}

/** A table of texts whose names the user chooses, such as headers. */
export interface TextTableKey extends KeyFacts<Readonly<Record<string, string>>> {
  readonly kind: "text-table";
  /** Returns why an entry is refused, as the end of the sentence "KEY.NAME: …". */
  readonly checkEntry?: (name: string, value: string) => string | undefined;
}

/** A list of tables inside a table. */
export interface TablesKey extends KeyFacts<readonly Readonly<Record<string, unknown>>[]> {
  readonly kind: "tables";
  readonly keys: ConfigKeys;
  readonly itemsMax: number;
  readonly checkItem?: (values: Readonly<Record<string, unknown>>) => SectionProblem | undefined;
}

export type ConfigKey =
  | BooleanKey
  | NumberKey
  | DurationKey
  | TextKey
  | WordKey
  | TextsKey
  | TextTableKey
  | TablesKey;

/** By the name of the property in the code, in the order in which they are read and shown. */
export type ConfigKeys = Readonly<Record<string, ConfigKey>>;

/** A refused combination of keys: the key to name, and the end of the sentence "KEY: …". */
export interface SectionProblem {
  readonly key: string;
  readonly problem: string;
}

/** A value that a profile within a repository may not hold, with its position. */
export type RepositoryProblem = Pick<Mistake, keyof FilePosition | "problem">;

interface SectionFacts {
  /** Unique. The name of the table in the files, but for a `top` section. */
  readonly name: string;
  /** One or two sentences for the documents. */
  readonly about: string;
  /** The only file that may hold it; both when omitted. */
  readonly in?: SettingsFile;
  readonly keys: ConfigKeys;
  /** A profile that lies in a repository may hold it. Never when omitted. */
  readonly inRepositoryProfile?: boolean;
  /** Names that other programs have for a key, to suggest ours. */
  readonly otherWords?: Readonly<Record<string, string>>;
}

/** Keys at the top of a file, without a table. */
export interface TopSection extends SectionFacts {
  readonly shape: "top";
}

/**
 * Keys that a feature adds to a section at the top of a file. The section is read and shown with them, in the order of
 * all its keys. Without the feature they are unknown keys.
 */
export interface SectionPart {
  readonly shape: "part";
  /** The name of the section. */
  readonly name: string;
  readonly keys: Readonly<Record<string, ConfigKey & { readonly order: number }>>;
}

/** `[name]`. */
export interface TableSection extends SectionFacts {
  readonly shape: "table";
  /** An unknown key is a warning, so that a newer file still loads. Refused when omitted. */
  readonly unknown?: "warn";
  readonly check?: (values: Readonly<Record<string, unknown>>) => SectionProblem | undefined;
}

/**
 * `[[name]]`. The entries of all files are added, those of `config.toml` first.
 *
 * `Entry` is the value of an entry in the code: what `entry` returns, else its keys with their position.
 */
export interface ListSection<Entry = unknown> extends SectionFacts {
  readonly shape: "list";
  readonly itemsMax?: number;
  /** The key whose place stands for that of its entry. The first key when omitted. */
  readonly place?: string;
  readonly check?: (values: Readonly<Record<string, unknown>>) => SectionProblem | undefined;
  /** Returns why a list is refused, as the end of the sentence "SECTION: …". */
  readonly checkAll?: (entries: readonly ListEntry[]) => string | undefined;
  /**
   * Returns what the entries of a profile within a repository may not say.
   * @param at position of the section.
   */
  checkInRepository?(entries: readonly Entry[], at: FilePosition): readonly RepositoryProblem[];
  /** Turns an entry into the value of the code. */
  readonly entry?: (values: never) => Entry;
  /** With `first` an entry of a profile gives way to one of the same name in `config.toml`. */
  readonly sameName?: "first";
}

export interface ListEntry extends Readonly<Record<string, unknown>> {
  readonly where: FilePosition;
}

/** `[name.NAME]`: tables whose names the user chooses. */
export interface NamedSection extends SectionFacts {
  readonly shape: "named";
  /** Returns why a name is refused, as the end of the sentence "SECTION.NAME: …". */
  readonly checkName?: (name: string) => string | undefined;
  readonly check?: (values: Readonly<Record<string, unknown>>, name: string) => SectionProblem | undefined;
}

/** The place of a value in a file, for messages. */
export interface FilePosition {
  readonly path: string;
  /** From 1. */
  readonly line: number;
  readonly key: string;
}

/** A mistake in a file, with its position. An error ends the start of a session, a warning does not. */
export interface Mistake extends FilePosition {
  readonly weight: "error" | "warning";
  readonly problem: string;
}

type Word<Key> = Key extends { readonly words: readonly (infer Each)[] } ? Each : never;

/** The value of a key in the code. */
export type ValueOf<Key extends ConfigKey> = Key extends { readonly as: (written: never) => infer Value }
  ? Value
  : Key["kind"] extends "boolean"
    ? boolean
    : Key["kind"] extends "integer" | "number" | "seconds" | "duration"
      ? number
      : Key["kind"] extends "text"
        ? string
        : Key["kind"] extends "word"
          ? Word<Key>
          : Key["kind"] extends "texts"
            ? readonly string[]
            : Key["kind"] extends "text-table"
              ? Readonly<Record<string, string>>
              : Key extends { readonly keys: infer Keys extends ConfigKeys }
                ? readonly EntryOf<Keys>[]
                : never;

type NamesWith<Keys extends ConfigKeys, Facts> = {
  readonly [Name in keyof Keys]: Keys[Name] extends Facts ? Name : never;
}[keyof Keys];

/** The keys of a table as one file holds them: those that are mandatory, and perhaps the others. */
export type FileValuesOf<Keys extends ConfigKeys> = {
  readonly [Name in keyof Keys as Keys[Name] extends { readonly required: string } ? Name : never]: Present<
    Keys[Name]
  >;
} & {
  readonly [Name in keyof Keys as Keys[Name] extends { readonly required: string } ? never : Name]?: Present<
    Keys[Name]
  >;
};

/** A value that `as` turns into undefined counts as missing. */
type Present<Key extends ConfigKey> = Exclude<ValueOf<Key>, undefined>;

/** The keys of a table with their defaults. */
export type EntryOf<Keys extends ConfigKeys> = Omit<
  FileValuesOf<Keys>,
  NamesWith<Keys, { readonly default: unknown }>
> & {
  readonly [Name in keyof Keys as Keys[Name] extends { readonly default: unknown } ? Name : never]: ValueOf<
    Keys[Name]
  >;
};

/** One entry of a list with these keys, with its position. */
export type ListEntryOf<Keys extends ConfigKeys> = EntryOf<Keys> & Pick<ListEntry, "where">;

/** The parsed value of a section, as one file holds it. */
export type ConfigOf<Section extends ConfigSection> = Section extends {
  readonly entry: (values: never) => infer Entry;
}
  ? readonly Entry[]
  : Section extends { readonly shape: "list" }
    ? readonly (EntryOf<Section["keys"]> & { readonly where: FilePosition })[]
    : Section extends { readonly shape: "named" }
      ? readonly (EntryOf<Section["keys"]> & { readonly name: string })[]
      : FileValuesOf<Section["keys"]>;

/** The settings of a section in a session: all files and flags merged, defaults included. */
export type SettingsOf<Section extends DeclaredSection> = Section extends ConfigSection & {
  readonly shape: "list" | "named";
}
  ? ConfigOf<Section>
  : EntryOf<Section["keys"]>;
