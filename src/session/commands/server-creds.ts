import type { Secret } from "../../base/brand.ts";
import type { World } from "../../base/world.ts";
import type { Config } from "../settings/settings.ts";
import type { CliContext, ExitCode } from "./cli-command.ts";

/** A call of `cinch creds` that names a server. */
export interface ServerCredsCall {
  readonly verb: "add" | "delete" | "login" | "logout";
  /** Name of the server as it was typed, unchecked. */
  readonly server: string;
  /** Words behind the server. */
  readonly words: readonly string[];
}

/** Handles for a call of `cinch creds` that names a server. */
export interface ServerCredsContext extends Pick<CliContext, "stderr" | "signal"> {
  readonly world: Pick<World, "clock" | "random" | "fetch" | "resolve" | "listen">;
  /** Secrets of this server alone. */
  readonly store: ServerSecrets;
  /** Reads the user's configuration. @throws HarnessError ConfigInvalid. */
  readConfig(): Promise<Config>;
  /** Asks for a secret, or reads it from standard input or a variable. @throws HarnessError UsageInvalid. */
  readSecret(): Promise<string>;
}

/** Secrets of one server in the encrypted store, by account. */
export interface ServerSecrets {
  /** Path of the store, for messages. */
  readonly path: string;
  /** @throws HarnessError if the store cannot be read. */
  read(): Promise<ReadonlyMap<string, Secret>>;
  /** Adds a secret, or replaces that of the same account. */
  keep(account: string, secret: Secret): Promise<void>;
  /** Deletes all secrets of the server. Returns false if there was none. */
  clear(): Promise<boolean>;
}

/** The part of a feature that logs in to its servers, and stores or deletes their credentials. */
export interface ServerCreds {
  /** @throws HarnessError; signal.reason, and then nothing is stored. */
  run(call: ServerCredsCall, context: ServerCredsContext): Promise<ExitCode>;
}
