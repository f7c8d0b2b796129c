import type { Tree } from "../../../base/files/tree.ts";
import type { Files, World } from "../../../base/world.ts";
import { makePause } from "../tracking/make-pause.ts";
import type { GitRepository } from "./git-repository.ts";
import { gitIndexStamp, openGitRepository, RepositoryUnreadable } from "./git-repository.ts";

export interface CurrentRepositoryDependencies {
  readonly world: Pick<World, "clock" | "log">;
  readonly files: Files;
  readonly tree: Tree;
  readonly root: string;
  readonly configFiles: readonly string[];
}

/** The current repository around a workspace: read again whenever its index was written. */
export class CurrentRepository {
  readonly #dependencies: CurrentRepositoryDependencies;
  #current: GitRepository | undefined;
  /** Stamp of the last read; for a failure, its text. */
  #stamp: string | undefined | "unread" = "unread";

  constructor(dependencies: CurrentRepositoryDependencies) {
    this.#dependencies = dependencies;
  }

  /** The repository; undefined if there is none, or none that can be read: then everything is copied. */
  get current(): GitRepository | undefined {
    return this.#current;
  }

  /** @throws the signal's reason. */
  async refresh(signal: AbortSignal): Promise<void> {
    const { tree, root, world } = this.#dependencies;
    let stamp: string | undefined;
    try {
      stamp = gitIndexStamp(tree, root);
      if (stamp === this.#stamp) return;
      this.#current = await openGitRepository({
        ...this.#dependencies,
        pause: makePause(this.#dependencies, signal),
      });
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
