import { ACTION_NAMES, ACTIONS } from "../src/client/terminal/keys/actions.ts";
import { CONTEXT_TITLES, CONTEXTS } from "../src/client/terminal/keys/context-titles.ts";
import { DEFAULT_SETTINGS } from "../src/client/terminal/settings/client-settings.ts";
import type { SettingKey } from "../src/client/terminal/settings/setting-keys.ts";
import { SETTING_KEYS, TERMINAL_SETTING_NAMES } from "../src/client/terminal/settings/setting-keys.ts";

/** Returns the table of the settings of the terminal client. */
export function terminalSettingRows(): string {
  const rows = TERMINAL_SETTING_NAMES.map((name) => {
    const { key, meaning } = SETTING_KEYS[name];
    const value = JSON.stringify(DEFAULT_SETTINGS[name]);
    return `| \`${key}\` | ${valuesOf(SETTING_KEYS[name])} | \`${value}\` | ${meaning} |\n`;
  });
  return `| setting | value | default | meaning |\n|---|---|---|---|\n${rows.join("")}`;
}

/** Returns the table of the actions of the terminal client, in the order of the help panel. */
export function terminalActionRows(): string {
  const rows = CONTEXTS.flatMap((context) =>
    ACTION_NAMES.filter((name) => ACTIONS[name].context === context).map((name) => {
      const keys = ACTIONS[name].keys.map((key) => `\`${key}\``).join(" ");
      return `| \`${name}\` | ${keys === "" ? "none: in the palette" : keys} | ${CONTEXT_TITLES[context].toLowerCase()} | ${ACTIONS[name].help} |\n`;
    }),
  );
  return `| action | keys | where | what it does |\n|---|---|---|---|\n${rows.join("")}`;
}

function valuesOf(setting: SettingKey): string {
  switch (setting.kind) {
    case "flag":
      return "`true` or `false`";
    case "number":
      return `${setting.min} to ${setting.max}`;
    case "word":
      return setting.words.map((word) => `\`"${word}"\``).join(", ");
    default:
      return "list of texts";
  }
}
