import type { RefusalsOf } from "../../../base/reasons.ts";
import { errorsOf } from "../../../base/reasons.ts";

/** Reasons and texts of the errors of `features/plugins/registration/`. */
export const ERRORS = errorsOf({
  PluginInvalid: "The plugin <from> cannot be used: <problem>.",
  PluginConflict: "<first> and <second> both claim <what>. <remedy>",
  PluginFailed:
    "The plugin '<plugin>' failed in <where>: <what>. The session continues. If your configuration names it, remove it there, or ask its author.",
  PluginCrashed:
    "The plugin '<plugin>' failed outside of any call, as in a timer of its own: <what>. It is switched off until the engine restarts. What it guards stays refused.",
  PluginOff:
    "The plugin '<plugin>' has failed <count> times and is switched off until the engine restarts. What it guards stays refused.",
});

/** Their HTTP statuses and exit codes, where they have one. */
export const REFUSALS: RefusalsOf<typeof ERRORS> = {
  PluginInvalid: { isUsage: true },
  PluginConflict: { isUsage: true },
};
