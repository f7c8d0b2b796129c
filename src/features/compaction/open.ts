import { join } from "node:path";
import { messageOf } from "../../base/errors.ts";
import type { World } from "../../base/world.ts";
import { settingsOf } from "../../config/settings/settings.ts";
import type { RequestMiddleware } from "../../providers/middleware.ts";
import type { OpenFeature } from "../../session/feature.ts";
import type { SessionHost } from "../../session/host.ts";
import type { CompactionDependencies } from "./compaction-dependencies.ts";
import { compactionMiddleware } from "./compaction-middleware.ts";
import { CompactionState } from "./compaction-state.ts";
import type { CompactionSettings } from "./config.ts";
import { compactionSection } from "./config.ts";
import { NOTHING_SENT } from "./context-use.ts";

const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

/** Dependencies of a session's compaction. */
export interface CompactionSources extends Pick<CompactionDependencies, "windowOf" | "tools" | "redact"> {
  readonly world: World;
  /** Folder for texts that are set aside. Default: none, and no tool can read them. */
  readonly scratch?: string;
  readonly settings: CompactionSettings;
  readonly before: NonNullable<CompactionDependencies["before"]>;
}

/** Opens compaction: the middleware that keeps a session's requests within the model's window (SES-13). */
export function openCompaction(host: SessionHost): OpenFeature {
  const plan = host.plan();
  let state: CompactionState | undefined;
  return {
    join({ onCompact }) {
      state = openState({
        world: host.world,
        scratch: host.workspace.scratch,
        settings: settingsOf(compactionSection, plan),
        windowOf: host.models.contextTokensOf,
        tools: plan.tools,
        redact: (text) => host.redactor.text(text),
        before: onCompact,
      });
      return { around: [{ request: "compact", run: compactionMiddleware(state) }] };
    },
    queries: { GetContext: async () => state?.contextUse ?? NOTHING_SENT },
    async summary(messages, turnsMax) {
      const { importedTurns } = await import("./summary/imported.ts");
      const { profile, tools } = host.plan();
      return importedTurns(messages, turnsMax, { profile: profile.name, tools });
    },
  };
}

/** Returns the middleware that keeps requests within the model's window. */
export function openCompactionMiddleware(sources: CompactionSources): RequestMiddleware {
  return compactionMiddleware(openState(sources));
}

function openState(sources: CompactionSources): CompactionState {
  const { world, scratch, settings, windowOf, tools, redact, before } = sources;
  return new CompactionState({
    settings,
    windowOf,
    tools,
    redact,
    before,
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
