import type { ClientId } from "../../base/ids.ts";
import type { AttachRequest } from "./attach-request.ts";

/**
 * One attached client as the multiplexer knows it: its identity ([A] hard rule 7). Its `wire` decides nothing but what
 * `ON_THIS_MACHINE` lists.
 */
export interface AttachedClient extends AttachRequest {
  readonly id: ClientId;
}
