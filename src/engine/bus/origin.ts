import type { CallId, ClientId } from "../../base/ids.ts";

/** Origin of an event: the client that started the turn, and a sub-agent's call in the parent. */
export interface EventOrigin {
  readonly originator?: ClientId;
  readonly parentCall?: CallId;
}
