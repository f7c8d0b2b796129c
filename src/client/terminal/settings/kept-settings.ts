import type { ClientSettings, SettingValues } from "./client-settings.ts";
import { DEFAULT_SETTINGS } from "./client-settings.ts";

/** The settings of this client. */
export class KeptSettings implements ClientSettings {
  #values: SettingValues = DEFAULT_SETTINGS;

  get values(): SettingValues {
    return this.#values;
  }

  change(values: Partial<SettingValues>): void {
    this.#values = { ...this.#values, ...values };
  }
}
