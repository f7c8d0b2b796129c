import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { HarnessError } from "../../../base/errors.ts";
import { codeOf } from "../../../base/world.ts";
import type { ClientSettingValues } from "../../../client/terminal/settings/client-settings.ts";

/** Ways in which a terminal shows the client. */
export type ScreenKind = ClientSettingValues["screen"];

const SETTINGS_BYTES_MAX = 1 << 20;

/** Returns the path of the file with the settings of the terminal client. */
export function settingsFile(configFolder: string): string {
  return join(configFolder, "terminal.toml");
}

/**
 * Reads the file with the settings of the terminal client; undefined if there is none. It is read at once: the first
 * frame waits for it.
 * @throws HarnessError if it has more than 1 MiB; the error of the system if it cannot be read.
 */
export function readSettingsFile(path: string): string | undefined {
  try {
    const { size } = statSync(path);
    if (size > SETTINGS_BYTES_MAX)
      throw new HarnessError("UsageInvalid", { problem: `${path} has ${size} bytes` });
    return readFileSync(path, "utf8");
  } catch (thrown) {
    if (codeOf(thrown) !== "ENOENT") throw thrown;
    return undefined;
  }
}

/**
 * Returns the screen that the person has set (`screen` in terminal.toml). Default: `full`. It is read before the first
 * frame. A file that cannot be read is reported by the client, which reads all of it.
 */
export async function screenSetting(configFolder: string): Promise<ScreenKind> {
  let text: string | undefined;
  try {
    text = readSettingsFile(settingsFile(configFolder));
  } catch (thrown) {
    if (!(thrown instanceof HarnessError) && codeOf(thrown) === undefined) throw thrown;
  }
  // The reader of TOML is loaded for those alone who have set it.
  if (text === undefined || !/^\s*["']?screen["']?\s*=/m.test(text)) return "full";
  const { readSettingsText } = await import("../../../client/terminal/settings/settings-text.ts");
  const { values } = await readSettingsText(text);
  return values.screen ?? "full";
}
