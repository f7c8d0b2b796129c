import type { ConfigSection, SettingsFile } from "../../session/config-section.ts";
import { isIn } from "./read-section.ts";

/**
 * Returns a text for each key that stands in the other file only: where it belongs, and the names that this file has
 * instead. By the name of the key, as the end of the sentence "KEY: …".
 */
export function misplacedKeys(
  file: SettingsFile,
  sections: readonly ConfigSection[],
): ReadonlyMap<string, string> {
  const other = file === "config" ? "stands in a profile" : "stands in config.toml";
  const notHere = file === "config" ? "not in config.toml" : "not in a profile";
  return new Map(
    sections.flatMap((section): readonly (readonly [string, string])[] => {
      const keys = Object.values(section.keys);
      if (section.shape === "top")
        return keys
          .filter((key) => !(isIn(section, file) && (key.in === undefined || key.in === file)))
          .map(({ key }) => [key, `${other}, ${notHere}`]);
      if (isIn(section, file)) return [];
      const instead = file === "config" ? keys.flatMap(({ configKey }) => configKey ?? []) : [];
      const text =
        instead.length === 0
          ? `${other}, ${notHere}`
          : `${other}; at its top, config.toml has ${instead.join(", ")}`;
      return [[section.name, text]];
    }),
  );
}
