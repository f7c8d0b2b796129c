import type { SessionId } from "../base/ids.ts";

/** One session, as what a plugin has registered meets it. */
export interface PluginSession {
  readonly session: SessionId;
  /** Tells everybody who follows the session: a CustomEvent in the plugin's own namespace. */
  emit(kind: string, payload: unknown): void;
}
