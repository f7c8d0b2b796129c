import * as z from "zod";
import type { QueryKind } from "../kinds.ts";
import type { Unchanged } from "../unchanged.ts";
import type { CommandKind } from "./commands.ts";

/**
 * How a client draws an answer, as data, so that a new query or command needs no change in a client.
 *
 * A template is a text with fields of the answer in braces: `{name}`, `{path.of.fields}`, a list joined by commas, or
 * `{tools|tool}` for a number with its noun. A part in brackets is left out where one of its fields is absent, empty or 0.
 */
export const Shows = z.discriminatedUnion("as", [
  /** `none`: the text where every field of `text` is absent. */
  z.object({ as: z.literal("text"), text: z.string(), none: z.string().optional() }),
  z.object({
    as: z.literal("list"),
    /** The list in the answer. */
    field: z.string(),
    /** The template of one line. */
    line: z.string(),
    /** The text for an empty list. */
    none: z.string(),
    /** Texts that stand for values. */
    words: z.record(z.string(), z.string()).optional(),
    /** A list of further lines in the answer. */
    notes: z.string().optional(),
    /** A line below the list. */
    after: z.string().optional(),
    /** The line whose `key` equals the answer's `field` begins with a star, each other with a space. */
    mark: z.object({ field: z.string(), key: z.string() }).optional(),
  }),
  z.object({
    as: z.literal("table"),
    field: z.string(),
    /** Head and template of each column. */
    columns: z.array(z.object({ head: z.string(), cell: z.string() })),
    none: z.string(),
  }),
  /** A drawing of its own that every client has. */
  z.object({ as: z.literal("sessions"), none: z.string() }),
  z.object({ as: z.literal("profile") }),
  z.object({ as: z.literal("health") }),
]);

/**
 * Where a field of a query or command comes from.
 *
 * `session`: the session that the person is in. `word`: a word behind the name, counted from 0. `find`: such a word, as the
 * session that it means; without it the session that the person is in. `rest`: the words as they were typed. `flag`: true
 * where one of these words stands. `option`: the word behind one of these flags. `value`: always the same.
 */
export const FieldSource = z.union([
  z.object({ from: z.literal("session"), unless: z.array(z.string()).optional() }),
  z.object({ from: z.literal("word"), at: z.int().min(0), optional: z.boolean().optional() }),
  z.object({ from: z.literal("find"), at: z.int().min(0) }),
  z.object({ from: z.literal("rest") }),
  z.object({ from: z.literal("flag"), words: z.array(z.string()) }),
  z.object({
    from: z.literal("option"),
    words: z.array(z.string()),
    /** Other spellings of a value. */
    same: z.record(z.string(), z.string()).optional(),
  }),
  z.object({ from: z.literal("value"), value: z.unknown() }),
]);

/** The query or command that a slash command stands for, with its fields, and how the answer is drawn. */
export const StandsFor = z.object({
  query: z.string().optional(),
  command: z.string().optional(),
  fields: z.record(z.string(), FieldSource).optional(),
  shows: Shows.optional(),
});

export type Shows = Unchanged<z.infer<typeof Shows>>;
export type FieldSource = Unchanged<z.infer<typeof FieldSource>>;

type Fields = Readonly<Record<string, FieldSource>>;

/** What a slash command does. */
export type Does =
  /** The client carries it out by itself, by its name; `command`: what it then sends. */
  | { readonly by: "client"; readonly command?: CommandKind }
  /** It asks the engine, and the client draws the answer. */
  | { readonly query: QueryKind; readonly fields?: Fields; readonly shows: Shows }
  /** It sends a command; `shows` draws its result. Default: nothing is drawn. */
  | { readonly command: CommandKind; readonly fields?: Fields; readonly shows?: Shows };

/** A slash command as plain data ([A] § Slash commands, CMD-01). */
export interface CommandSpec {
  /** Without the slash; with its namespace where it has one: `compact`, `sessions:list`. */
  readonly name: string;
  /** Further names. */
  readonly aliases?: readonly string[];
  /** The words behind the name, for the person. Default: none. */
  readonly words?: string;
  readonly help: string;
  /** True where the words are one text: quotes need not be closed. */
  readonly isText?: true;
  readonly does: Does;
}
