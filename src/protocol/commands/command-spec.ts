import * as z from "zod";
import type { DeepReadonly } from "../deep-readonly.ts";
import type { QueryKind } from "../kinds.ts";
import type { CommandKind } from "./commands.ts";

/**
 * Rules by which a client draws an answer, as data, so that a new query or command needs no change in a client.
 *
 * A template is a text with fields of the answer in braces: `{name}`, `{path.of.fields}`, a list joined by commas, or
 * `{tools|tool}` for a number with its noun. A part in brackets is omitted if one of its fields is absent, empty or 0.
 */
export const Shows = z.discriminatedUnion("as", [
  /** `none`: the text if every field of `text` is absent. */
  z.object({
    as: z.literal("text"),
    /** The template. */
    text: z.string(),
    /** Text if every field of `text` is absent. */
    none: z.string().optional(),
  }),
  z.object({
    as: z.literal("list"),
    /** The list in the answer. */
    field: z.string(),
    /** The template of one line. */
    line: z.string(),
    /** The text for an empty list. */
    none: z.string(),
    /** Texts that replace values. */
    words: z.record(z.string(), z.string()).optional(),
    /** A list of further lines in the answer. */
    notes: z.string().optional(),
    /** A line below the list. */
    after: z.string().optional(),
    /** Marks with a star the line whose `key` equals the answer's `field`; other lines begin with a space. */
    mark: z
      .object({
        /** The field of the answer. */
        field: z.string(),
        /** The field of the line. */
        key: z.string(),
      })
      .optional(),
  }),
  z.object({
    as: z.literal("table"),
    /** The list in the answer. */
    field: z.string(),
    /** Head and template of each column. */
    columns: z.array(
      z.object({
        /** Head of the column. */
        head: z.string(),
        /** Template of the column. */
        cell: z.string(),
      }),
    ),
    /** The text for an empty list. */
    none: z.string(),
  }),
  /** A special layout that every client implements. */
  z.object({
    as: z.literal("sessions"),
    /** The text for an empty list. */
    none: z.string(),
  }),
  z.object({ as: z.literal("profile") }),
  z.object({ as: z.literal("health") }),
]);

/**
 * Source of a field of a query or command.
 *
 * `session`: the current session. `word`: a word after the name, counted from 0. `find`: such a word, resolved to the
 * session that it means; default: the current session. `rest`: the words as typed. `flag`: true if one of these words
 * is present. `option`: the word after one of these flags. `value`: a constant.
 */
export const FieldSource = z.union([
  z.object({
    from: z.literal("session"),
    /** Not sent if one of these flags is present. */
    unless: z.array(z.string()).optional(),
  }),
  z.object({
    from: z.literal("word"),
    /** Number of the word, from 0. */
    at: z.int().min(0),
    /** True: the word may be missing. */
    optional: z.boolean().optional(),
  }),
  z.object({
    from: z.literal("find"),
    /** Number of the word, from 0. */
    at: z.int().min(0),
  }),
  z.object({ from: z.literal("rest") }),
  z.object({
    from: z.literal("flag"),
    /** The flags. */
    words: z.array(z.string()),
  }),
  z.object({
    from: z.literal("option"),
    /** The flags. */
    words: z.array(z.string()),
    /** Other spellings of a value. */
    same: z.record(z.string(), z.string()).optional(),
  }),
  z.object({
    from: z.literal("value"),
    /** The constant. */
    value: z.unknown(),
  }),
]);

/** The query or command behind a slash command, with its fields and the layout of the answer. */
export const StandsFor = z.object({
  /** Kind of the query. */
  query: z.string().optional(),
  /** Kind of the command. */
  command: z.string().optional(),
  /** Source of each field. */
  fields: z.record(z.string(), FieldSource).optional(),
  /** Layout of the answer. Absent: nothing is drawn. */
  shows: Shows.optional(),
});

export type Shows = DeepReadonly<z.infer<typeof Shows>>;
export type FieldSource = DeepReadonly<z.infer<typeof FieldSource>>;

type Fields = Readonly<Record<string, FieldSource>>;

/** Action of a slash command. */
export type CommandAction =
  /** The client runs it itself, by name; `command`: the command that it then sends. */
  | { readonly by: "client"; readonly command?: CommandKind }
  /** It queries the engine, and the client draws the answer. */
  | { readonly query: QueryKind; readonly fields?: Fields; readonly shows: Shows }
  /** It sends a command; `shows` draws its result. Default: nothing is drawn. */
  | { readonly command: CommandKind; readonly fields?: Fields; readonly shows?: Shows };

/** A slash command as plain data ([A] § Slash commands, CMD-01). */
export interface CommandSpec {
  /** Without the slash; with its namespace if it has one: `compact`, `sessions:list`. */
  readonly name: string;
  /** Further names. */
  readonly aliases?: readonly string[];
  /** Words after the name, for the user. Default: none. */
  readonly words?: string;
  readonly help: string;
  /** True if the words are one text: quotes need not be closed. */
  readonly isText?: true;
  readonly does: CommandAction;
}
