import type { Feature } from "../../session/feature.ts";

/**
 * Notices on the user's desktop: codes for a new client, and questions of agents' sessions (AUTH-03). No session
 * opens it.
 */
export const notifyFeature: Feature = {
  name: "notify",
  openDesktop: async (at) => (await import("./desktop.ts")).openNoticeDesktop(at),
  isUsed: () => false,
  open: async () => undefined,
};
