import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

/** The root of the clone that the tests run in. */
export const ROOT = resolve(import.meta.dir, "../..");

/** Source text without its comments, and with each string and regular expression replaced by a number. */
export interface Code {
  /** Strings read `"0"`, `"1"` …, numbers being places in `strings`; line numbers are kept. */
  readonly text: string;
  readonly strings: readonly string[];
}

export interface Import {
  /** The specifier as written; undefined if it is computed. */
  readonly specifier: string | undefined;
  /** `lazy` is a dynamic `import()`, in a type position too. */
  readonly kind: "value" | "type" | "lazy";
}

/** Paths below a folder of the clone that match, sorted, relative to the root. */
export function filesUnder(folder: string, pattern: string): readonly string[] {
  if (!existsSync(join(ROOT, folder))) return [];
  return [...new Bun.Glob(pattern).scanSync({ cwd: join(ROOT, folder), dot: false })]
    .map((file) => `${folder}/${file}`)
    .sort();
}

export function isTest(file: string): boolean {
  return /\.(test|e2e)\.ts$/.test(file);
}

export function readSource(file: string): string {
  return readFileSync(join(ROOT, file), "utf8");
}

/** Every import of a TypeScript source: static and dynamic, of values and of types, `export from` and `require`. */
export function importsOf(source: string): readonly Import[] {
  const { text, strings } = codeOf(source);
  const found: Import[] = [];
  for (const [, type, at] of text.matchAll(FROM)) {
    found.push({ specifier: strings[Number(at)], kind: type === undefined ? "value" : "type" });
  }
  for (const [, at] of text.matchAll(/(?<![.\w$])import\s*"(\d+)"/g)) {
    found.push({ specifier: strings[Number(at)], kind: "value" });
  }
  for (const [, at] of text.matchAll(/(?<![.\w$])(?:import|require)\s*\(\s*(?:"(\d+)"\s*[,)])?/g)) {
    found.push({ specifier: at === undefined ? undefined : strings[Number(at)], kind: "lazy" });
  }
  return found;
}

const FROM =
  /(?<![.\w$])(?:import|export)(?:\s+(type)(?=\s+[\w$]+\s+from|\s*[{*]))?\s*[\w$\s{},*]*?(?<![\w$])from\s*"(\d+)"/g;

// In this order at every place: what a text inside one of them looks like does not count.
const TOKEN = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*'|[`/{}]/g;

// A slash after one of these begins a regular expression, after anything else it divides.
const BEFORE_REGEX =
  /(?:^|[(,=:[!&|?{};+\-*%<>~^]|(?<![\w$.])(?:return|typeof|case|in|of|void|delete|throw|new|await|yield))\s*$/;
const REGEX = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y;
const TEMPLATE_PART = /(?:[^`\\$]|\\[\s\S]|\$(?!\{))*(`|\$\{)/y;

/** Takes comments, strings, templates and regular expressions out of a source, keeping the code inside `${}`. */
export function codeOf(source: string): Code {
  const strings: string[] = [];
  const braces: ("block" | "template")[] = [];
  let text = "";
  let at = 0;
  const keepLines = (from: number, to: number) => "\n".repeat(source.slice(from, to).split("\n").length - 1);
  const keepString = (value: string) => `"${strings.push(value) - 1}"`;
  function readTemplate(start: number): void {
    TEMPLATE_PART.lastIndex = start;
    const part = TEMPLATE_PART.exec(source);
    at = part === null ? source.length : TEMPLATE_PART.lastIndex;
    text += keepLines(start, at);
    if (part?.[1] === "${") braces.push("template");
    else text += " ";
  }
  while (at < source.length) {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(source);
    if (match === null) return { text: text + source.slice(at), strings };
    const [token] = match;
    text += source.slice(at, match.index);
    at = match.index + token.length;
    if (token.startsWith("//") || token.startsWith("/*")) text += ` ${keepLines(match.index, at)}`;
    else if (token.startsWith('"') || token.startsWith("'")) text += keepString(token.slice(1, -1));
    else if (token === "`") readTemplate(at);
    else if (token === "{") {
      braces.push("block");
      text += token;
    } else if (token === "}") {
      if (braces.pop() === "template") readTemplate(at);
      else text += token;
    } else {
      REGEX.lastIndex = match.index;
      const regex = BEFORE_REGEX.test(text.slice(-40)) ? REGEX.exec(source) : null;
      text += regex === null ? token : keepString(regex[0]);
      if (regex !== null) at = REGEX.lastIndex;
    }
  }
  return { text, strings };
}
