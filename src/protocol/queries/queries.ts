import type * as z from "zod";
import type { DeepReadonly } from "../deep-readonly.ts";
import type { QueryKind } from "../kinds.ts";
import { CHANGE_QUERIES } from "./change-queries.ts";
import { COMPLETION_QUERIES } from "./completion-queries.ts";
import { CONTROL_QUERIES } from "./control-queries.ts";
import { ENGINE_QUERIES } from "./engine-queries.ts";
import { HISTORY_QUERIES } from "./history-queries.ts";
import type { QueryDefinition } from "./query.ts";
import { SEARCH_QUERIES } from "./search-queries.ts";
import { SESSION_QUERIES } from "./session-queries.ts";
import { USAGE_QUERIES } from "./usage-queries.ts";

/**
 * Every query, by kind. A closed union: an engine refuses a kind that it does not know.
 *
 * Queries change nothing; commands do. The names are in `kinds.ts` too, for files that load no schema; the compiler
 * compares the two lists.
 */
const TABLE = {
  ...SESSION_QUERIES,
  ...HISTORY_QUERIES,
  ...ENGINE_QUERIES,
  ...COMPLETION_QUERIES,
  ...USAGE_QUERIES,
  ...CHANGE_QUERIES,
  ...SEARCH_QUERIES,
  ...CONTROL_QUERIES,
} as const satisfies Readonly<Record<QueryKind, QueryDefinition>>;

type Table = typeof TABLE;

/** The definition of each query, with its own schemas. */
export const QUERIES: Table = TABLE;

/** Fields of a query of one kind. */
export type ParamsOf<Kind extends QueryKind> = NoneOr<DeepReadonly<z.infer<Table[Kind]["params"]>>>;
/** An object without fields is inferred as a record of `never`, which cannot be joined to other types. */
type NoneOr<Fields> = string extends keyof Fields ? unknown : Fields;
/** One query as it is sent. */
export type QueryOf<Kind extends QueryKind> = { readonly kind: Kind } & ParamsOf<Kind>;
/** Answer to a query of one kind. */
export type ResultOf<Kind extends QueryKind> = DeepReadonly<z.infer<Table[Kind]["result"]>>;
/** A query of any kind. */
export type Query = { readonly [Kind in QueryKind]: QueryOf<Kind> }[QueryKind];

/** Returns the definition of a query whose kind is not known at compile time. */
export function queryDefinition(kind: QueryKind): QueryDefinition {
  return QUERIES[kind];
}
