import type { Tree } from "../../../base/files/tree.ts";
import type { Files, World } from "../../../base/world.ts";
import { pausing } from "../tracking/pausing.ts";
import type { Repository } from "./git.ts";
import { openRepository, RepositoryUnreadable, repositoryStamp } from "./git.ts";

export interface KnownRepositoryParts {
  readonly world: Pick<World, "clock" | "log">;
  readonly files: Files;
  readonly tree: Tree;
  readonly root: string;
  readonly configFiles: readonly string[];
}

/** The current repository around a workspace: read again whenever its index was written. */
export class KnownRepository {
  readonly #parts: KnownRepositoryParts;
  #current: Repository | undefined;
  /** Stamp of the last read; for a failure, its text. */
  #stamp: string | undefined | "unread" = "unread";

  constructor(parts: KnownRepositoryParts) {
    this.#parts = parts;
  }

  /** The repository; undefined if there is none, or none that can be read: then everything is copied. */
  get current(): Repository | undefined {
    return this.#current;
  }

  /** @throws the signal's reason. */
  async refresh(signal: AbortSignal): Promise<void> {
    const { tree, root, world } = this.#parts;
    let stamp: string | undefined;
    try {
      stamp = repositoryStamp(tree, root);
      if (stamp === this.#stamp) return;
      this.#current = await openRepository({ ...this.#parts, pause: pausing(this.#parts, signal) });
    } catch (thrown) {
      if (!(thrown instanceof RepositoryUnreadable)) throw thrown;
      this.#current = undefined;
      stamp ??= thrown.message;
      if (stamp === this.#stamp) return;
      world.log.for("checkpoint").write("warn", "the repository cannot be read", { what: thrown.message });
    }
    this.#stamp = stamp;
  }
}
