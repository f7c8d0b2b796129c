import { settingsOf } from "../../config/settings/settings.ts";
import type { Feature } from "../../session/feature.ts";
import { notifySection } from "./config.ts";
import type { EngineNotify } from "./open.ts";

/**
 * Notices for a person who looks elsewhere. The desktop shows codes for a new client, questions of agents' sessions
 * (AUTH-03) and moments of every session. An address of the user gets these moments too (CTL-19).
 */
export const notifyFeature: Feature<EngineNotify> = {
  name: "notify",
  config: [notifySection],
  check: { doctor: [{ area: "notifications", load: () => import("./doctor-notify.ts") }] },
  openDesktop: async (at) => (await import("./desktop.ts")).openNoticeDesktop(at),
  noticeWays(config) {
    const { bell, desktop, events } = settingsOf(notifySection, { config });
    return { bell: bell ? events : [], desktop: desktop ? events : [] };
  },
  openEngine: async (host) => (await import("./open.ts")).openEngineNotify(host),
  isUsed(plan) {
    const { url, desktop } = settingsOf(notifySection, plan);
    return url !== undefined || desktop;
  },
  open: async (host, engine) => (await import("./open.ts")).openNotify(host, engine),
};
