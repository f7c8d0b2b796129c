import type { Feature } from "../../session/feature.ts";

/** Branch and status of the repository around a session's working directory (CTL-19). */
export const workspaceStatusFeature: Feature = {
  name: "workspace-status",
  stored: {
    queries: {
      kinds: ["GetWorkspace"],
      load: async (host) => (await import("./get-workspace.ts")).workspaceQueries(host),
    },
  },
  isUsed: () => false,
  open: async () => undefined,
};
