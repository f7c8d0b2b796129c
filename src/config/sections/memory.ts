import type { Table } from "../table.ts";

/** What a configuration says of what is remembered between sessions. */
export interface MemoryKeys {
  readonly enabled?: boolean;
}

/** @throws HarnessError ConfigInvalid, for unknown keys too. */
export function memoryFrom(parent: Table): { readonly memory?: MemoryKeys } {
  const table = parent.table("memory");
  if (table === undefined) return {};
  const enabled = table.boolean("enabled");
  table.refuseUnknown();
  return { memory: enabled === undefined ? {} : { enabled } };
}
