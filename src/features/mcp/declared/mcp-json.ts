import { defined } from "../../../base/defined.ts";
import type { KeyPath } from "../../../base/files/toml-lines.ts";
import type { JsonObject } from "../../../base/json.ts";
import { isObject, parseJson } from "../../../base/json.ts";
import type { TomlFile } from "../../../config/toml.ts";
import { invalid } from "../../../config/toml.ts";

/** Names of transports in other programs' files. */
const TRANSPORTS: ReadonlyMap<unknown, string> = new Map([["streamable-http", "http"]]);
const JSON_NAMES: ReadonlyMap<string, string> = new Map([
  ["cmd", "command"],
  ["transport", "type"],
]);

/**
 * Reads the JSON in which other programs declare servers, `{"mcpServers": {NAME: {"command", "args", "url" …}}}`, as
 * a `[[mcp_servers]]` table. Error messages use the names and lines of the JSON.
 * @throws HarnessError ConfigInvalid with file and key.
 */
export function parseMcpJson(path: string, text: string): TomlFile {
  const value = parseJson(text)?.value;
  if (!isObject(value)) throw invalid(path, 1, "JSON", "this is not a JSON object");
  const wrong = (keys: readonly string[], problem: string) =>
    invalid(path, lineOfKey(text, keys), keys.join("."), problem);
  const [other] = Object.keys(value).filter((key) => key !== SERVERS);
  if (other !== undefined) throw wrong([other], `unknown key: only ${SERVERS} is read here`);
  const named = value[SERVERS] ?? {};
  if (!isObject(named)) throw wrong([SERVERS], "must be an object");
  const declared = Object.entries(named).map(([name, each]) => {
    if (!isObject(each)) throw wrong([SERVERS, name], "must be an object");
    return { name, each };
  });
  return {
    path,
    text,
    value: { mcp_servers: declared.map(({ name, each }) => ({ ...renamed(each), name })) },
    placeOf(keys: KeyPath) {
      const [, at, field, ...inner] = keys;
      const server = typeof at === "number" ? declared[at] : undefined;
      if (server === undefined) return { key: SERVERS, line: lineOfKey(text, [SERVERS]) };
      const written = typeof field === "string" ? writtenAs(field, server.each) : undefined;
      const rest = written === undefined ? [] : [written, ...inner.map(String)];
      const words = [SERVERS, server.name, ...rest];
      return { key: words.join("."), line: lineOfKey(text, words) };
    },
  };
}

const SERVERS = "mcpServers";

function renamed({ command, type, ...others }: JsonObject): JsonObject {
  return {
    ...others,
    ...defined({ cmd: command }),
    ...(type === undefined ? {} : { transport: TRANSPORTS.get(type) ?? type }),
  };
}

/** Returns a field's name in the file; undefined for the server's name, which is not a field there. */
function writtenAs(field: string, server: JsonObject): string | undefined {
  if (field === "name") return undefined;
  const other = JSON_NAMES.get(field);
  return other === undefined || Object.hasOwn(server, field) ? field : other;
}

/**
 * Returns the line, from 1, of a key in a JSON text, or of its nearest enclosing key if it is not there. Only
 * for messages.
 */
export function lineOfKey(text: string, keys: readonly string[]): number {
  let [line, best] = [1, { depth: 0, line: 1 }];
  // One entry per nesting level: the current key, or undefined in a list.
  const path: (string | undefined)[] = [];
  let before = "";
  for (const [token] of text.matchAll(/"(?:[^"\\\n]|\\.)*"|[{}[\],:\n]/g)) {
    if (token === "\n") {
      line += 1;
      continue;
    }
    if (token === "{" || token === "[") path.push(undefined);
    else if (token === "}" || token === "]") path.pop();
    else if (token === ":" && before.startsWith('"')) {
      path[path.length - 1] = String(parseJson(before)?.value);
      const isMeant = path.length <= keys.length && path.every((key, at) => key === keys[at]);
      if (isMeant && path.length > best.depth) best = { depth: path.length, line };
    }
    before = token;
  }
  return best.line;
}
