import type { SessionUpdate } from "@agentclientprotocol/sdk/unstable";

/** Finds the files that calls of a session have used: a call that was refused or has failed used none. */
export class UsedFiles {
  /** Paths that running calls name. */
  readonly #named = new Map<string, readonly string[]>();

  /** Returns the files of the calls that have ended well with these updates. Absolute paths. */
  after(updates: readonly SessionUpdate[]): readonly string[] {
    return updates.flatMap((update) => {
      if (update.sessionUpdate === "tool_call")
        this.#named.set(
          update.toolCallId,
          (update.locations ?? []).map(({ path }) => path),
        );
      if (update.sessionUpdate !== "tool_call_update") return [];
      const { toolCallId, status } = update;
      const named = this.#named.get(toolCallId) ?? [];
      if (status === "completed" || status === "failed") this.#named.delete(toolCallId);
      return status === "completed" ? named : [];
    });
  }

  /** Forgets calls that have got no result: a crash can end them so. */
  clear(): void {
    this.#named.clear();
  }
}
