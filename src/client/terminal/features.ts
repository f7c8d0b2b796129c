import { autoAttach } from "./features/auto-attach/auto-attach.ts";
import { banners } from "./features/banners/banners.ts";
import { changes } from "./features/changes/changes.ts";
import { slashLines } from "./features/commands/slash-lines.ts";
import { completion } from "./features/completion/completion.ts";
import { costs } from "./features/costs/costs.ts";
import { help } from "./features/help/help.ts";
import { keyProbe } from "./features/key-probe/key-probe.ts";
import { models } from "./features/models/models.ts";
import { modes } from "./features/modes/modes.ts";
import { notify } from "./features/notify/notify.ts";
import { images } from "./features/paste-image/paste-image.ts";
import { policy } from "./features/policy/policy-panel.ts";
import { profiles } from "./features/profiles/profiles.ts";
import { queue } from "./features/queue/queue.ts";
import { rewind } from "./features/rewind/rewind.ts";
import { sessionChoice } from "./features/sessions/session-choice.ts";
import { settings } from "./features/settings/settings.ts";
import { shellLines } from "./features/shell/shell-lines.ts";
import { sidebar } from "./features/sidebar/sidebar.ts";
import { themes } from "./features/themes/theme-panel.ts";
import { welcome } from "./features/welcome/welcome.ts";
import type { MakeTerminalFeature } from "./layout/feature.ts";

/** Every feature of the client. The order counts for the rows above the draft, and for a text that two would take. */
export const TERMINAL_FEATURES: readonly MakeTerminalFeature[] = [
  settings,
  help,
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
  autoAttach,
  queue,
  completion, // last, so that its list is next to the draft
];
