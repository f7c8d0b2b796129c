import { Cancelled, messageOf } from "../../base/errors.ts";
import type { OpenFeature } from "../../session/feature.ts";
import type { SessionHost } from "../../session/host.ts";
import { isContextFile } from "./agents-md.ts";
import { contextMiddleware } from "./context-middleware.ts";

/**
 * Opens the system text of one session: the profile's text, the working directory and folders beside it,
 * acknowledged notes of the repository, and the text that the person adds at its end.
 */
export function openAgentsMd(host: SessionHost): OpenFeature {
  const { world, workspace, plan, trust } = host;
  let noticing: Promise<void> | undefined;
  const run = contextMiddleware({
    world,
    workingDir: workspace.root,
    added: workspace.added ?? [],
    promptHeader: plan().profile.promptHeader,
    appended: plan().wishes.appendSystemPrompt ?? "",
    isRepository: trust.isRepository,
    files: async (signal) => {
      const { items } = await trust.loaded(signal);
      await noticing; // so that a short session on a pipe shows the notice, too
      return items.filter(isContextFile);
    },
  });
  const end = new AbortController();
  return {
    around: [{ request: "context", run }],
    onFollowed() {
      const { attended, withoutProject } = plan().wishes;
      if (attended && withoutProject !== true) noticing ??= publishUnusedFile(host, end.signal);
    },
    async settle() {
      end.abort(new Cancelled("engine", "the session was ended"));
      await noticing;
    },
  };
}

/** Publishes the notice about instructions that are not read, once a person has decided about those that are. */
async function publishUnusedFile(host: SessionHost, signal: AbortSignal): Promise<void> {
  try {
    const { items } = await host.trust.loaded(signal);
    if (items.some(isContextFile)) return;
    const { unusedFileNotice } = await import("./unused-file.ts");
    const notice = await unusedFileNotice(host);
    if (notice === undefined || signal.aborted) return;
    const { reason, message } = notice;
    host.publish({ kind: "Error", payload: { reason, message, severity: "notice" } });
  } catch (thrown) {
    if (signal.aborted) return;
    host.world.log.for("agents-md").write("warn", "no look for other files", { what: messageOf(thrown) });
  }
}
