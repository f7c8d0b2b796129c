import { count } from "../../../../base/text/text.ts";
import type { DrawnRow } from "../../drawing/span.ts";
import { row, span } from "../../drawing/span.ts";
import { wrapSpans } from "../../drawing/wrap-spans.ts";
import type { TerminalFeature } from "../../layout/feature.ts";
import { inBackground } from "../../layout/in-background.ts";
import type { Services } from "../../layout/services.ts";
import { SettingsPanel } from "./settings-panel.ts";

/** Rows that the problems of the file take above the draft. */
const ROWS_MAX = 4;

/** The settings file: its problems above the draft until the next prompt, reading it again, and a panel. */
export function settings(services: Services): TerminalFeature {
  /** Problems that the person has seen: they have sent a prompt since. */
  let seen: readonly string[] = [];
  return {
    actions: {
      "settings.open": () => services.open(new SettingsPanel(services)),
      "settings.reload": () => inBackground(reload(services), services),
    },
    above(columns) {
      const { problems } = services.settings;
      return problems === seen ? [] : problemRows(problems, services.host.settingsPath, columns);
    },
    send() {
      seen = services.settings.problems;
      return false;
    },
  };
}

async function reload({ settings, say, host, redraw }: Services): Promise<void> {
  await settings.reload();
  const { length } = settings.problems;
  if (length === 0) say(`Read ${host.settingsPath} again.`);
  redraw();
}

/** Returns the rows about problems of the file, at most `ROWS_MAX`. */
export function problemRows(problems: readonly string[], path: string, columns: number): readonly DrawnRow[] {
  if (problems.length === 0) return [];
  const head = wrapSpans([span(`${path}:`, { role: "warning" })], { columns, byWords: false });
  const shown: DrawnRow[] = [...head.slice(0, 1)];
  for (const [at, problem] of problems.entries()) {
    const rows = wrapSpans([span(problem)], { columns, first: [span("  ")], rest: [span("  ")] });
    const isLast = at === problems.length - 1;
    if (shown.length + rows.length > ROWS_MAX - (isLast ? 0 : 1) && at > 0) {
      const left = count(problems.length - at, "more problem");
      shown.push(row([span(`  … ${left}: the settings panel lists all`, { role: "dim" })]));
      break;
    }
    shown.push(...rows);
  }
  return shown;
}
