import { changes } from "./changes/changes.ts";
import { costs } from "./costs/costs.ts";
import type { MakeFeature } from "./layout/feature.ts";
import { models } from "./models/models.ts";
import { panels } from "./panels/panels.ts";
import { profiles } from "./profiles/profiles.ts";
import { policy } from "./questions/policy-panel.ts";
import { rewind } from "./rewind/rewind.ts";
import { sessionChoice } from "./sessions/session-choice.ts";

/** Every feature of the client. The order counts for the rows above the draft, and for a text that two would take. */
export const FEATURES: readonly MakeFeature[] = [
  panels,
  policy,
  sessionChoice,
  rewind,
  changes,
  models,
  profiles,
  costs,
];
