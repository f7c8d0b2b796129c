import { HarnessError } from "../base/errors.ts";
import { isObject } from "../base/json.ts";
import type { World } from "../base/world.ts";
import type { TomlFile } from "./toml.ts";
import { parseToml, readToml } from "./toml.ts";

const CONFIG_MODE = 0o600;

/**
 * Writes one allow rule into the user's `config.toml`, which is made where there is none; everything else in it, comments
 * too, stays as it is (PERM-07). One that stands there already is not written twice.
 *
 * Not into the profile: what a profile allows does not count above its own level.
 * @throws HarnessError ConfigInvalid where the file is no TOML, or is written in a way that is not added to here.
 */
export async function promoteRule(files: World["files"], path: string, rule: string): Promise<void> {
  const before = (await readToml(files, path)) ?? { path, text: "", value: {} };
  const allowed = allowOf(before);
  if (allowed.includes(rule)) return;
  const text = withAllowed(before.text, rule);
  const after = await parseToml(path, text);
  const wanted = { ...before.value, permissions: { ...permissionsOf(before), allow: [rule, ...allowed] } };
  if (!Bun.deepEquals(after.value, wanted)) throw byHand(path, rule);
  await files.writeAtomic(path, text, CONFIG_MODE);
}

function permissionsOf({ value }: TomlFile): object {
  const { permissions } = value;
  return isObject(permissions) ? permissions : {};
}

function allowOf(file: TomlFile): readonly string[] {
  const allow: unknown = Reflect.get(permissionsOf(file), "allow");
  return Array.isArray(allow) ? allow.filter((each) => typeof each === "string") : [];
}

/** The text with the rule in it. Whether it came to stand where it belongs is for the caller to see. */
function withAllowed(text: string, rule: string): string {
  const written = JSON.stringify(rule).replaceAll("\u007f", "\\u007f");
  const header = /^[ \t]*\[[ \t]*permissions[ \t]*\][ \t]*(?:#.*)?$/m.exec(text);
  if (header === null) {
    const gap = text === "" ? "" : text.endsWith("\n") ? "\n" : "\n\n";
    return `${text}${gap}[permissions]\nallow = [${written}]\n`;
  }
  const start = header.index + header[0].length;
  const next = /^[ \t]*\[[^\]"']*\][ \t]*(?:#.*)?$/m.exec(text.slice(start));
  const end = next === null ? text.length : start + next.index;
  const key = /^[ \t]*allow[ \t]*=[ \t]*\[/m.exec(text.slice(start));
  if (key === null || start + key.index >= end)
    return `${text.slice(0, start)}\nallow = [${written}]${text.slice(start)}`;
  const open = start + key.index + key[0].length;
  return `${text.slice(0, open)}${written}${/^\s*\]/.test(text.slice(open)) ? "" : ", "}${text.slice(open)}`;
}

function byHand(path: string, rule: string): HarnessError {
  const problem = `the rule "${rule}" could not be added to what stands there; add it by hand`;
  return new HarnessError("ConfigInvalid", { path, line: "1", key: "permissions.allow", problem });
}
