import type { Client, Transport } from "@modelcontextprotocol/client";
import type { HarnessError } from "../../../base/errors.ts";
import type { Log } from "../../../base/log.ts";
import type { World } from "../../../base/world.ts";
import type { Asking } from "../elicitation/elicitation.ts";
import type { Records } from "./records.ts";
import type { AddressSpec, ServerSpec } from "./server-spec.ts";

/** What a session is told of a server that it uses. */
export type ServerEvent =
  /** It is given up: its tools stay listed and answer nothing. */
  | { readonly kind: "down"; readonly reason: string; readonly attempts: number }
  /** It has failed to start for the first time, and is tried again: whoever waited for its tools goes on without. */
  | { readonly kind: "failing"; readonly reason: string }
  /** A request, or a search for tools, has begun to wait for it; or goes on without it after the longest wait. */
  | { readonly kind: "slow" | "late"; readonly waitMsMax: number }
  /** It was not even started, or could not be kept; the words are the error's. */
  | { readonly kind: "refused"; readonly error: HarnessError }
  /** These tools are others than those that were approved. */
  | { readonly kind: "changed"; readonly tools: readonly string[] };

/** A server as what answers its questions knows it. */
export interface AskingServer {
  readonly spec: ServerSpec;
  /** Whom a question of the server is for; undefined where nobody can tell. */
  readonly asking: Asking | undefined;
}

export interface ServerPorts {
  readonly world: Pick<World, "clock" | "files" | "spawn" | "log" | "machine">;
  /** Of cinch. */
  readonly version: string;
  readonly records: Records;
  /** Where the operational log is, for people. */
  readonly log: string;
  /** Another text as soon as another login than before is stored: cheap, and nothing of a login. */
  logins(): Promise<string>;
  /** Opens the wire to a server that is elsewhere. Its failures say what is wrong in words for people. */
  openAddress(spec: AddressSpec, log: Log): Promise<Transport>;
  /** Whatever the client answers to a server that asks. */
  prepare?(client: Client, server: AskingServer): void;
}
