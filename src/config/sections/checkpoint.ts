import type { Table } from "../table.ts";

/** What a configuration says of keeping files before they are changed. */
export interface CheckpointKeys {
  readonly enabled?: boolean;
  /** A call whose files cannot be kept is not run. */
  readonly required?: boolean;
  /** Of all sessions together. */
  readonly bytesMax?: number;
}

/** @throws HarnessError ConfigInvalid, for unknown keys too. */
export function checkpointFrom(parent: Table): { readonly checkpoint?: CheckpointKeys } {
  const table = parent.table("checkpoint");
  if (table === undefined) return {};
  const enabled = table.boolean("enabled");
  const required = table.boolean("required");
  const bytesMax = table.integer("bytes_max", 1);
  table.refuseUnknown();
  return {
    checkpoint: {
      ...(enabled === undefined ? {} : { enabled }),
      ...(required === undefined ? {} : { required }),
      ...(bytesMax === undefined ? {} : { bytesMax }),
    },
  };
}
