import type { Table } from "../table.ts";

/** What a configuration says of work in the background. */
export interface TaskKeys {
  /** Whether the end of a background task begins a turn of its own, where none runs (ENG-24). */
  readonly wake?: boolean;
  /** Whether sessions have the tool that schedules runs for later. */
  readonly schedule?: boolean;
}

/** What holds where no file says anything. */
export const TASKS_DEFAULT = { wake: false, schedule: false } as const;

/** @throws HarnessError ConfigInvalid, for unknown keys too. */
export function tasksFrom(parent: Table): { readonly tasks?: TaskKeys } {
  const table = parent.table("tasks");
  if (table === undefined) return {};
  const wake = table.boolean("wake");
  const schedule = table.boolean("schedule");
  table.refuseUnknown();
  return {
    tasks: { ...(wake === undefined ? {} : { wake }), ...(schedule === undefined ? {} : { schedule }) },
  };
}
