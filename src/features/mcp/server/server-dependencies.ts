import type { Client, Transport } from "@modelcontextprotocol/client";
import type { HarnessError } from "../../../base/errors.ts";
import type { Log } from "../../../base/log.ts";
import type { World } from "../../../base/world.ts";
import type { ElicitationContext } from "../elicitation/elicitation.ts";
import type { ServerRecords } from "./server-records.ts";
import type { RemoteSpec, ServerSpec } from "./server-spec.ts";

/** An event about a server, for each session that uses it. */
export type ServerEvent =
  /** The server is given up: its tools stay listed, and calls fail. */
  | { readonly kind: "down"; readonly reason: string; readonly attempts: number }
  /** The first start failed and is being retried. Sessions stop waiting for its tools. */
  | { readonly kind: "failing"; readonly reason: string }
  /**
   * A request or a tool search has begun to wait for the server (`slow`), or continues without it after the longest
   * wait (`late`).
   */
  | { readonly kind: "slow" | "late"; readonly waitMsMax: number }
  /** The server was not started, or its record could not be saved. The text is the error's. */
  | { readonly kind: "refused"; readonly error: HarnessError }
  /** These tools differ from the approved ones. */
  | { readonly kind: "changed"; readonly tools: readonly string[] };

/** A server, as the handlers of its requests see it. */
export interface ElicitingServer {
  readonly spec: ServerSpec;
  /** The people to ask on its behalf; undefined if the session cannot be determined. */
  readonly elicitation: ElicitationContext | undefined;
}

export interface ServerDependencies {
  readonly world: Pick<World, "clock" | "files" | "spawn" | "log" | "machine">;
  /** The version of cinch. */
  readonly version: string;
  readonly records: ServerRecords;
  /** The path of the operational log, for messages. */
  readonly log: string;
  /** Returns a text that changes whenever another login is stored. It is cheap and contains nothing of a login. */
  logins(): Promise<string>;
  /** Opens the transport to a remote server. Its errors are in words for people. */
  openRemote(spec: RemoteSpec, log: Log): Promise<Transport>;
  /** Sets up the client's handlers for requests of the server. */
  prepare?(client: Client, server: ElicitingServer): void;
}
