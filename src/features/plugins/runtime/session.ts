import type { SessionId } from "../../../base/ids.ts";
import type { JsonObject } from "../../../base/json.ts";

/** One session, as what a plugin has registered meets it. */
export interface PluginSession {
  readonly session: SessionId;
  /** Tells everybody who follows the session: a CustomEvent in the plugin's own namespace. */
  emit(kind: string, payload: unknown): void;
  /**
   * Emits an Error event with the reason `Custom:<plugin's name>:<code>`. Clients show the message as it is, at most 4,096
   * characters of it. @throws TypeError where the code is not 1 to 64 letters, digits, ".", "_" and "-", a letter first.
   */
  raise(code: string, message: string, details?: JsonObject): void;
  /**
   * Returns such an error to throw. A command that throws it is refused with that reason; a tool that throws it has failed
   * with the message, and the Error event is emitted. @throws TypeError, as `raise` does.
   */
  error(code: string, message: string, details?: JsonObject): Error;
}
