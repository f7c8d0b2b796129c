import type { OpenFeature } from "../../session/feature.ts";
import type { SessionHost } from "../../session/host.ts";
import { isContextFile } from "./agents-md.ts";
import { contextMiddleware } from "./context-middleware.ts";

/**
 * Opens the system text of one session: the profile's text, the working directory and folders beside it,
 * acknowledged notes of the repository, and the text that the person adds at its end.
 */
export function openAgentsMd({ world, workspace, plan, trust }: SessionHost): OpenFeature {
  const run = contextMiddleware({
    world,
    workingDir: workspace.root,
    added: workspace.added ?? [],
    promptHeader: plan().profile.promptHeader,
    appended: plan().wishes.appendSystemPrompt ?? "",
    isRepository: trust.isRepository,
    files: async (signal) => (await trust.loaded(signal)).items.filter(isContextFile),
  });
  return { around: [{ request: "context", run }] };
}
