import { images } from "./images/paste-image.ts";
import type { MakeFeature } from "./layout/feature.ts";
import { panels } from "./panels/panels.ts";
import { policy } from "./questions/policy-panel.ts";
import { queue } from "./queue/queue.ts";
import { sessionChoice } from "./sessions/session-choice.ts";

/** Every feature of the client. The order counts for the rows above the draft, and for a text that two would take. */
export const FEATURES: readonly MakeFeature[] = [panels, policy, sessionChoice, queue, images];
