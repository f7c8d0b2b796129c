import { slashLines } from "./commands/slash-lines.ts";
import { completion } from "./completion/completion.ts";
import type { MakeFeature } from "./layout/feature.ts";
import { panels } from "./panels/panels.ts";
import { policy } from "./questions/policy-panel.ts";
import { sessionChoice } from "./sessions/session-choice.ts";
import { shellLines } from "./shell/shell-lines.ts";

/** Every feature of the client. The order counts for the rows above the draft, and for a text that two would take. */
export const FEATURES: readonly MakeFeature[] = [
  panels,
  policy,
  sessionChoice,
  slashLines,
  shellLines,
  completion, // last, so that its list is next to the draft
];
