import type { MakeFeature } from "./layout/feature.ts";
import { panels } from "./panels/panels.ts";
import { policy } from "./questions/policy-panel.ts";
import { sessionChoice } from "./sessions/session-choice.ts";
import { welcome } from "./welcome/welcome.ts";

/** Every feature of the client. The order counts for the rows above the draft, and for a text that two would take. */
export const FEATURES: readonly MakeFeature[] = [panels, policy, sessionChoice, welcome];
