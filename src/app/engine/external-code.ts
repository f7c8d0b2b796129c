import { foreignHand, importExternal } from "../../platform/external-module.ts";
import { ownStrayErrors } from "../../platform/stray-errors.ts";
import type { ExternalCode } from "../../session/host.ts";

/** Loads code of plugins into this process. */
export const hostExternalCode: ExternalCode = { importModule: importExternal, foreignHand, ownStrayErrors };
