import log from "./migrations/0001-log.sql" with { type: "text" };
import keys from "./migrations/0002-keys.sql" with { type: "text" };
import expiry from "./migrations/0003-expiry.sql" with { type: "text" };
import bound from "./migrations/0004-bound.sql" with { type: "text" };
import heads from "./migrations/0005-heads.sql" with { type: "text" };
import effort from "./migrations/0006-effort.sql" with { type: "text" };
import reserved from "./migrations/0007-reserved.sql" with { type: "text" };
import rounds from "./migrations/0008-rounds.sql" with { type: "text" };
import notes from "./migrations/0009-notes.sql" with { type: "text" };
import search from "./migrations/0010-search.sql" with { type: "text" };
import numbers from "./migrations/0011-numbers.sql" with { type: "text" };

/** One forward step of the schema: numbered from 1 without gaps, never edited once released. */
export interface Migration {
  readonly version: number;
  readonly sql: string;
}

export const MIGRATIONS: readonly Migration[] = [
  { version: 1, sql: log },
  { version: 2, sql: keys },
  { version: 3, sql: expiry },
  { version: 4, sql: bound },
  { version: 5, sql: heads },
  { version: 6, sql: effort },
  { version: 7, sql: reserved },
  { version: 8, sql: rounds },
  { version: 9, sql: notes },
  { version: 10, sql: search },
  { version: 11, sql: numbers },
];
