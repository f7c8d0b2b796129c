import type { Feature } from "../../session/feature.ts";

/** Files that clients upload for inputs of a session (CTL-19). */
export const attachmentsFeature: Feature = {
  name: "attachments",
  stored: {
    logFiles: async () => (await import("./attachment-log-files.ts")).attachmentLogFiles,
  },
  isUsed: () => true,
  async open(host) {
    const load = async () => (await import("./attachment-store.ts")).openAttachmentStore(host);
    return {
      attachments: {
        store: async (file) => await (await load()).store(file),
        storedBytes: async (id) => await (await load()).storedBytes(id),
        blocks: async (id) => await (await load()).blocks(id),
      },
    };
  },
};
