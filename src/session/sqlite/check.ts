import type { World } from "../../base/world.ts";
import type { Finding } from "../store.ts";
import type { Connection } from "./connection.ts";
import type { RowReader } from "./rows.ts";

interface Checking {
  readonly depth: "quick" | "full";
  readonly signal: AbortSignal;
  readonly machine: World["machine"];
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Looks for damage in an open store, changing nothing. */
export async function* checkStore(
  connection: Connection,
  _rows: RowReader,
  { depth }: Checking,
): AsyncGenerator<Finding> {
  const pragma = depth === "full" ? "integrity_check" : "quick_check";
  for (const row of connection.all(`PRAGMA ${pragma}(20)`)) {
    const said = String(row[pragma]);
    if (said === "ok") continue;
    yield {
      kind: "structure",
      weight: "damage",
      text: `The database file is damaged: ${said}`,
      remedy: "Export what can be read, then put the file aside or set it back from a backup.",
    };
  }
}
