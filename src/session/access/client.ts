import type { ClientId } from "../../base/ids.ts";
import type { AttachRequest } from "./attach-request.ts";

/** One attached client as the multiplexer knows it: its identity, never its transport ([A] hard rule 7). */
export interface AttachedClient extends AttachRequest {
  readonly id: ClientId;
}
