import { cutEnd, displayWidth } from "../../../../view/terminal/display-width.ts";
import type { DrawnRow } from "../../drawing/span.ts";
import { EMPTY_ROW, row, span } from "../../drawing/span.ts";
import { wrapSpans } from "../../drawing/wrap-spans.ts";
import type { ActionName, KeyContext } from "../../keys/actions.ts";
import type { DrawnPart, Overlay } from "../../layout/part.ts";
import type { Services } from "../../layout/services.ts";
import type { Size } from "../../screen/screen.ts";
import type { ClientSettingValues } from "../../settings/client-settings.ts";
import type { SettingKey } from "../../settings/setting-keys.ts";
import { SETTING_KEYS, TERMINAL_SETTING_NAMES } from "../../settings/setting-keys.ts";

type SettingName = keyof ClientSettingValues;

const NAME_COLUMNS = Math.max(...TERMINAL_SETTING_NAMES.map((name) => SETTING_KEYS[name].key.length)) + 2;
/** Columns of the values, from which the meaning stands beside them. */
const VALUE_COLUMNS = 22;
const MEANING_COLUMNS_MIN = 30;

/** All settings with their values, which keys change at once, and what the file has wrong. */
export class SettingsPanel implements Overlay {
  readonly title = "Settings";
  readonly place = "full";
  readonly contexts: readonly KeyContext[] = ["settings", "list", "panel"];
  readonly #services: Services;
  #at = 0;

  constructor(services: Services) {
    this.#services = services;
  }

  draw({ columns, rows: height }: Size): DrawnPart {
    const foot = this.#footRows(columns);
    const room = Math.max(1, height - foot.length);
    const rows = TERMINAL_SETTING_NAMES.flatMap((name, at) =>
      this.#settingRows(name, at === this.#at, columns),
    );
    const top = Math.max(0, Math.min(this.#at - Math.floor(room / 2), rows.length - room));
    return { rows: [...rows.slice(top, top + room), ...foot].slice(0, height) };
  }

  act(action: ActionName): boolean {
    switch (action) {
      case "list.up":
        return this.#move(-1);
      case "list.down":
        return this.#move(1);
      case "list.pageUp":
        return this.#move(-TERMINAL_SETTING_NAMES.length);
      case "list.pageDown":
        return this.#move(TERMINAL_SETTING_NAMES.length);
      case "list.choose":
      case "settings.next":
        return this.#step(1);
      case "settings.previous":
        return this.#step(-1);
      case "list.leave":
      case "panel.leave":
      case "turn.cancel":
        this.#services.close(this);
        return true;
      default:
        return false;
    }
  }

  #move(by: number): true {
    this.#at = Math.max(0, Math.min(TERMINAL_SETTING_NAMES.length - 1, this.#at + by));
    return true;
  }

  #step(by: 1 | -1): true {
    const name = TERMINAL_SETTING_NAMES[this.#at];
    if (name === undefined) return true;
    const { settings } = this.#services;
    const next = steppedValue(settings.values[name], SETTING_KEYS[name], by);
    if (next !== undefined) settings.change({ [name]: next });
    return true;
  }

  #settingRows(name: SettingName, isHere: boolean, columns: number): readonly DrawnRow[] {
    const { key, meaning } = SETTING_KEYS[name];
    const value = cutEnd(valueText(this.#services.settings.values[name]), VALUE_COLUMNS - 2);
    const spans = [
      span(isHere ? "▸ " : "  ", { role: "accent" }),
      span(key.padEnd(NAME_COLUMNS), { isBold: isHere }),
      span(value, { role: "accent" }),
    ];
    const rest = columns - 2 - NAME_COLUMNS - VALUE_COLUMNS;
    const gap = " ".repeat(Math.max(0, VALUE_COLUMNS - displayWidth(value)));
    const beside = rest < MEANING_COLUMNS_MIN ? "" : `${gap}${cutEnd(plainMeaning(meaning), rest)}`;
    return [row([...spans, span(beside, { role: "dim" })], isHere ? { fill: "selected" } : {})];
  }

  /** Returns the meaning of the setting at the cursor, the keys, and what is wrong in the file. */
  #footRows(columns: number): readonly DrawnRow[] {
    const { keys, settings, host } = this.#services;
    const name = TERMINAL_SETTING_NAMES[this.#at];
    const meaning = name === undefined ? "" : plainMeaning(SETTING_KEYS[name].meaning);
    const key = (action: ActionName) => keys.label(action);
    const text = `${key("settings.previous")} and ${key("settings.next")} change · ${key("list.leave")} closes · kept in ${host.settingsPath}`;
    return [
      EMPTY_ROW,
      ...wrapSpans([span(meaning)], { columns }),
      ...wrapSpans([span(text, { role: "dim" })], { columns }),
      ...settings.problems.flatMap((each) => wrapSpans([span(each, { role: "warning" })], { columns })),
    ];
  }
}

/** Returns the value before or behind one; undefined for a setting that is changed in the file alone. */
function steppedValue(
  value: unknown,
  setting: SettingKey,
  by: 1 | -1,
): ClientSettingValues[SettingName] | undefined {
  switch (setting.kind) {
    case "flag":
      return value !== true;
    case "number":
      return Math.max(setting.min, Math.min(setting.max, Number(value) + by));
    case "word": {
      const { words } = setting;
      const at = words.indexOf(String(value)) + by + words.length;
      return words[at % words.length];
    }
    default:
      return undefined;
  }
}

function valueText(value: unknown): string {
  if (typeof value === "boolean") return value ? "on" : "off";
  return Array.isArray(value) ? value.join(", ") || "none" : String(value);
}

/** Returns a meaning without the marks of code that the documentation has. */
function plainMeaning(meaning: string): string {
  return meaning.replaceAll("`", "");
}
