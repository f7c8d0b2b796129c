import { join } from "node:path";
import { messageOf } from "../../base/errors.ts";
import type { World } from "../../base/world.ts";
import type { RequestMiddleware } from "../../providers/middleware.ts";
import { compaction } from "./compaction.ts";
import type { CompactionSettings } from "./config.ts";
import type { CompactionParts } from "./parts.ts";

const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

export interface CompactionSources {
  /** With the session's own files, so that what is set aside is sealed as other output is. */
  readonly world: World;
  /** Where texts are set aside; absent where no tool could read them. */
  readonly scratch?: string;
  readonly settings: CompactionSettings;
  readonly windowOf: CompactionParts["windowOf"];
  readonly tools: CompactionParts["tools"];
  readonly redact: CompactionParts["redact"];
  readonly before?: CompactionParts["before"];
}

/** The middleware that keeps a session's requests within their model's window. */
export function openCompaction(sources: CompactionSources): RequestMiddleware {
  const { world, scratch, settings, windowOf, tools, redact, before } = sources;
  return compaction({
    settings,
    windowOf,
    tools,
    redact,
    ...(before === undefined ? {} : { before }),
    async keep(name, text) {
      if (scratch === undefined) return undefined;
      const path = join(scratch, name);
      try {
        await world.files.makeDirectory(scratch, FOLDER_MODE);
        await world.files.writeAtomic(path, text, FILE_MODE);
        return path;
      } catch (thrown) {
        world.log.for("compaction").write("warn", "nothing set aside", { path, what: messageOf(thrown) });
        return undefined;
      }
    },
  });
}
