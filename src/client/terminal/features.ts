import { banners } from "./banners/banners.ts";
import type { MakeFeature } from "./layout/feature.ts";
import { modes } from "./modes/modes.ts";
import { panels } from "./panels/panels.ts";
import { policy } from "./questions/policy-panel.ts";
import { sessionChoice } from "./sessions/session-choice.ts";
import { sidebar } from "./sidebar/sidebar.ts";

/** Every feature of the client. The order counts for the rows above the draft, and for a text that two would take. */
export const FEATURES: readonly MakeFeature[] = [panels, policy, sessionChoice, modes, banners, sidebar];
