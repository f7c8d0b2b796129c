import { banners } from "./banners/banners.ts";
import { changes } from "./changes/changes.ts";
import { slashLines } from "./commands/slash-lines.ts";
import { completion } from "./completion/completion.ts";
import { costs } from "./costs/costs.ts";
import { images } from "./images/paste-image.ts";
import { keyProbe } from "./keys/key-probe.ts";
import type { MakeTerminalFeature } from "./layout/feature.ts";
import { models } from "./models/models.ts";
import { modes } from "./modes/modes.ts";
import { notify } from "./notify/notify.ts";
import { panels } from "./panels/panels.ts";
import { profiles } from "./profiles/profiles.ts";
import { policy } from "./questions/policy-panel.ts";
import { queue } from "./queue/queue.ts";
import { rewind } from "./rewind/rewind.ts";
import { sessionChoice } from "./sessions/session-choice.ts";
import { settings } from "./settings/settings.ts";
import { shellLines } from "./shell/shell-lines.ts";
import { sidebar } from "./sidebar/sidebar.ts";
import { themes } from "./themes/theme-panel.ts";
import { welcome } from "./welcome/welcome.ts";

/** Every feature of the client. The order counts for the rows above the draft, and for a text that two would take. */
export const TERMINAL_FEATURES: readonly MakeTerminalFeature[] = [
  settings,
  panels,
  policy,
  sessionChoice,
  rewind,
  changes,
  models,
  profiles,
  costs,
  modes,
  themes,
  keyProbe,
  notify,
  welcome,
  slashLines, // behind those that take a command without words
  shellLines,
  images,
  sidebar,
  banners,
  queue,
  completion, // last, so that its list is next to the draft
];
