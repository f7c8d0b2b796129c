import { join } from "node:path";
import { messageOf } from "../../../base/errors.ts";
import { isWithin } from "../../../base/files/below.ts";
import type { World } from "../../../base/world.ts";
import type { SandboxSources } from "./sandbox-sources.ts";
import { isSystemLinkFolder } from "./system-paths.ts";

type TrustSources = Pick<SandboxSources, "paths"> & { readonly world: Pick<World, "files" | "log"> };

/** Decides in which folders a link is the user's own, or the system's. */
export interface LinkTrust {
  /**
   * Notes that commands write some folders, before they do: links there are trusted in no later session. If the note
   * cannot be written, that is logged and commands run.
   */
  note(folders: readonly string[]): Promise<void>;
  /** True for the home itself, and for folders of the system, unless commands have ever written one of them. */
  isTrusted(folder: string): boolean;
}

/**
 * Reads which folders are trusted. A link elsewhere, also one below the home, may be of a downloaded folder, or of a
 * command in an earlier workspace: nothing distinguishes it from the user's. `home` is resolved.
 */
export async function linkTrust(
  { world, paths }: TrustSources,
  home: string | undefined,
): Promise<LinkTrust> {
  const { files, log } = world;
  const path = join(paths.state, "links-not-trusted");
  const isMarked = (await files.lstat(path)) !== undefined;
  const isTrustedKind = (folder: string) => folder === home || isSystemLinkFolder(folder);
  return {
    async note(folders) {
      const isWide = folders.some(
        (folder) => isTrustedKind(folder) || (home !== undefined && isWithin(folder, home)),
      );
      if (isMarked || !isWide) return;
      try {
        await files.makeDirectory(paths.state, 0o700);
        await files.writeAtomic(path, `${folders.join("\n")}\n`, 0o600);
      } catch (thrown) {
        const problem = messageOf(thrown);
        log.for("sandbox").write("warn", "later sessions will follow links that commands make", {
          note: path,
          problem,
        });
      }
    },
    isTrusted: (folder) => !isMarked && isTrustedKind(folder),
  };
}
