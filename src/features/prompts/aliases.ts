import type { AcknowledgedFile } from "../../config/project.ts";
import type { Following } from "../../config/table.ts";
import { Table } from "../../config/table.ts";
import { parseToml } from "../../config/toml.ts";
import { isBuiltinCommand } from "../../protocol/commands/slash-commands.ts";
import { parseTyped, printCommand } from "../../view/slash/slash.ts";

export const ALIASES_MAX = 256;
const EXPANSION_UNITS_MAX = 4_096;

/**
 * Parses an acknowledged aliases.toml: `[aliases]`, short names for namespaced commands (CMD-02).
 *
 * An alias neither stands for a built-in command nor has the name of one, because no file may decide what `/help` or
 * `/quit` does.
 * @throws HarnessError ConfigInvalid with file, line and key.
 */
export async function parseAliases(
  { path, bytes }: AcknowledgedFile,
  following?: Following,
): Promise<ReadonlyMap<string, string>> {
  const file = await parseToml(path, bytes);
  const table = new Table(file, [], file.value, following);
  const aliases = table.table("aliases");
  table.refuseUnknown();
  if (aliases === undefined) return new Map();
  const names = aliases.keys();
  if (names.length > ALIASES_MAX) throw table.problem("aliases", `holds more than ${ALIASES_MAX} aliases`);
  const parsed = new Map<string, string>();
  for (const name of names) {
    if (aliases.isTable(name))
      throw aliases.problem(
        name,
        `must be a text; a name with a dot stands in quotes: "${name}.x" = "/skills:name"`,
      );
    const text = aliases.string(name);
    if (text === undefined) continue; // an invalid one, left out of a check
    const problem = problemOf(name, text);
    if (problem !== undefined) throw aliases.problem(name, problem);
    parsed.set(name, text);
  }
  return parsed;
}

function problemOf(name: string, text: string): string | undefined {
  if (!/^[a-z][a-z0-9_.-]{0,62}$/.test(name))
    return "is not a name: small letters, digits, dots, - and _, a letter first";
  if (isBuiltinCommand(name)) return `/${name} is a built-in command, and cannot be replaced`;
  if (text.length > EXPANSION_UNITS_MAX || /[\p{Cc}\p{Cf}]/u.test(text))
    return "must be plain text in one line";
  const typed = parseTyped(text);
  if (typed.kind === "command" && isBuiltinCommand(printCommand(typed).slice(1).toLowerCase()))
    return "an alias may not stand for a built-in command";
  if (typed.kind === "command" && typed.namespace !== undefined && typed.name !== "") return undefined;
  const isNamed = typed.kind === "invalid" && /^\/[^\s:]+:[^\s:]/.test(text);
  return isNamed ? typed.why : 'must be a command with a namespace: "/skills:name"';
}
