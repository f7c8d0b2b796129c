import { importExternal, otherWriters } from "../../platform/external-module.ts";
import { claimStrayErrors } from "../../platform/stray-errors.ts";
import type { ExternalCode } from "../../session/host.ts";

/** Loads code of plugins into this process. */
export const hostExternalCode: ExternalCode = {
  importModule: importExternal,
  foreignHand: otherWriters,
  ownStrayErrors: claimStrayErrors,
};
