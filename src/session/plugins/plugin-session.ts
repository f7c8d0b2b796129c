import type { SessionId } from "../../base/ids.ts";
import type { JsonObject } from "../../base/json.ts";

/** One session, as a plugin's registered functions get it. */
export interface PluginSession {
  readonly session: SessionId;
  /** Emits a CustomEvent in the plugin's own namespace to all subscribers of the session. */
  emit(kind: string, payload: unknown): void;
  /**
   * Emits an Error event with the reason `Custom:<plugin's name>:<code>`. Clients show at most 4,096 characters of
   * the message, unchanged. @throws TypeError if the code is not 1 to 64 letters, digits, ".", "_" and "-", starting
   * with a letter.
   */
  raise(code: string, message: string, details?: JsonObject): void;
  /**
   * Returns such an error to throw. A command that throws it is rejected with that reason. A tool that throws it
   * fails with the message, and the Error event is emitted. @throws TypeError like `raise`.
   */
  error(code: string, message: string, details?: JsonObject): Error;
}
