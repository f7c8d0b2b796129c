import type { SessionId } from "../../base/ids.ts";
import type { CommandKind } from "../../protocol/commands/commands.ts";

/** Rights of a token (AUTH-01, AUTH-07). An empty list allows nothing; no token can hold `"all"` by mistake. */
export interface Scope {
  readonly sessions: "all" | readonly SessionId[];
  readonly commands: "all" | readonly CommandKind[];
}

/** Scope within one process, and of the person who runs the engine. */
export const EVERYTHING: Scope = { sessions: "all", commands: "all" };

export function allowsSession({ sessions }: Scope, id: SessionId): boolean {
  return sessions === "all" || sessions.includes(id);
}

export function allowsCommand({ commands }: Scope, kind: CommandKind): boolean {
  return commands === "all" || commands.includes(kind);
}

/** Returns true if `inner` allows nothing that `outer` does not. */
export function isScopeWithin(inner: Scope, outer: Scope): boolean {
  return isListWithin(inner.sessions, outer.sessions) && isListWithin(inner.commands, outer.commands);
}

function isListWithin<T>(inner: "all" | readonly T[], outer: "all" | readonly T[]): boolean {
  if (outer === "all") return true;
  return inner !== "all" && inner.every((each) => outer.includes(each));
}
