import type { LogInfo } from "../store/store.ts";

/** State of a session: a process holds it, it broke off in the middle of a turn, or it can be continued. */
export type SessionStatus = "running" | "interrupted" | "paused";

export function sessionStatusOf({
  heldBy,
  interrupted,
}: Pick<LogInfo, "heldBy" | "interrupted">): SessionStatus {
  if (heldBy !== undefined) return "running";
  return interrupted ? "interrupted" : "paused";
}

/** A session as programs get it: one object of `--json`. */
export interface SessionRow {
  readonly session: string;
  readonly log: string;
  readonly status: SessionStatus;
  readonly pid?: number;
  readonly title: string;
  readonly profile: string;
  readonly model: string;
  readonly turns: number;
  readonly events: number;
  readonly created_at: string;
  readonly updated_at: string;
  readonly working_dir: string;
  readonly pinned: boolean;
  readonly renamed?: boolean;
  readonly archived?: boolean;
  readonly branch_of?: { readonly log: string; readonly event: number };
}

export function sessionRow(info: LogInfo): SessionRow {
  const { heldBy, branchOf } = info;
  return {
    session: info.session,
    log: info.logId,
    status: sessionStatusOf(info),
    ...(heldBy === undefined ? {} : { pid: heldBy.pid }),
    title: info.title,
    profile: info.profile,
    model: info.model,
    turns: info.turns,
    events: info.lastEvent,
    created_at: info.createdAt,
    updated_at: info.updatedAt,
    working_dir: info.workingDir,
    pinned: info.pinned,
    ...(info.renamed === true ? { renamed: true } : {}),
    ...(info.archived === true ? { archived: true } : {}),
    ...(branchOf === undefined ? {} : { branch_of: { log: branchOf.logId, event: branchOf.at } }),
  };
}
