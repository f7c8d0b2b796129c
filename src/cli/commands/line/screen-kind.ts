import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { isObject } from "../../../base/json.ts";
import { codeOf } from "../../../base/world.ts";
import type { ClientSettingValues } from "../../../client/terminal/settings/client-settings.ts";

/** Ways in which a terminal shows the client. */
export type ScreenKind = ClientSettingValues["screen"];

const KINDS: readonly ScreenKind[] = ["full", "inline", "reader"];
const BYTES_MAX = 1 << 20;

/** Returns true for a word that names a screen. */
function isScreenKind(word: unknown): word is ScreenKind {
  return KINDS.some((kind) => kind === word);
}

/**
 * Returns the screen that the person has set (`screen` in terminal.toml). Default: `full`. It is read
 * before the first frame. A file that cannot be read is reported by the client, which reads all of it.
 */
export function screenSetting(configFolder: string): ScreenKind {
  const path = join(configFolder, "terminal.toml");
  let text: string;
  try {
    if (statSync(path).size > BYTES_MAX) return "full";
    text = readFileSync(path, "utf8");
  } catch (thrown) {
    if (codeOf(thrown) === undefined) throw thrown;
    return "full";
  }
  return screenIn(text);
}

/** Returns the screen that a text of terminal.toml names. */
export function screenIn(text: string): ScreenKind {
  if (!/^\s*screen\s*=/m.test(text)) return "full";
  try {
    const { screen } = tableOf(Bun.TOML.parse(text));
    return isScreenKind(screen) ? screen : "full";
  } catch (thrown) {
    if (thrown instanceof SyntaxError || (thrown instanceof Error && thrown.name === "BuildMessage"))
      return "full";
    throw thrown;
  }
}

function tableOf(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}
