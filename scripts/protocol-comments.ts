import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Meaning } from "../src/server/rest/described.ts";
import type { Token } from "./typescript-tokens.ts";
import { tokensOf } from "./typescript-tokens.ts";

/** Constants of one file that a comment or a schema gives a meaning, by name. */
export type FileComments = ReadonlyMap<string, Meaning>;

/** Reads one file: its path, or undefined for a file that is not read. */
export type ReadFile = (path: string) => string | undefined;

/**
 * Returns a reader of the doc comments in the schemas of a file, with those of the files that it imports. A comment
 * belongs to the constant or to the field behind it; a constant that is used in a schema passes its own on.
 * @throws Error for a comment inside a constant that stands before neither a field nor an element of a list.
 */
export function commentReader(read: ReadFile = readSource): (path: string) => FileComments {
  const known = new Map<string, FileComments>();
  return function commentsOf(path) {
    const found = known.get(path);
    if (found !== undefined) return found;
    const text = read(path);
    const comments = text === undefined ? new Map<string, Meaning>() : fileComments(path, text, commentsOf);
    known.set(path, comments);
    return comments;
  };
}

/** Files of schemas only: nothing else is asked for a comment. */
function readSource(path: string): string | undefined {
  return path.includes("/protocol/") ? readFileSync(path, "utf8") : undefined;
}

function fileComments(path: string, text: string, commentsOf: (path: string) => FileComments): FileComments {
  const scope = new Map<string, Meaning>();
  for (const statement of statementsOf(tokensOf(text))) {
    const [first] = statement;
    const comment = first?.kind === "comment" ? first : undefined;
    const words = statement.filter((token) => token !== comment && token.text !== "export");
    const [head, name] = words;
    if (head?.text === "import") addImports(words, { scope, path, commentsOf });
    if (head?.text !== "const" || name?.kind !== "name") continue;
    const equals = words.findIndex((token) => token.text === "=");
    const reader = new ExpressionReader(words.slice(equals + 1), scope, path);
    const { about: _about, named: _named, ...shape } = reader.expression();
    scope.set(name.text, comment === undefined ? shape : { ...shape, about: aboutOf(comment.text) });
  }
  return scope;
}

/** A statement begins in the first column with a word or a comment: the sources are formatted. */
function statementsOf(tokens: readonly Token[]): readonly (readonly Token[])[] {
  const statements: Token[][] = [];
  let previous: Token | undefined;
  for (const token of tokens) {
    const begins = token.column === 0 && (token.kind === "name" || token.kind === "comment");
    const followsComment = previous?.kind === "comment" && previous.column === 0;
    // A blank line ends the comment of a file.
    if (begins && !(followsComment && token.line === (previous?.endLine ?? 0) + 1)) statements.push([]);
    statements.at(-1)?.push(token);
    previous = token;
  }
  return statements;
}

interface ImportContext {
  readonly scope: Map<string, Meaning>;
  readonly path: string;
  readonly commentsOf: (path: string) => FileComments;
}

function addImports(words: readonly Token[], { scope, path, commentsOf }: ImportContext): void {
  const from = words.find((token) => token.kind === "string")?.text.slice(1, -1) ?? "";
  if (words[1]?.text === "type" || !from.startsWith(".")) return;
  const found = commentsOf(resolve(dirname(path), from));
  for (const { kind, text } of words.slice(1)) {
    const described = kind === "name" ? found.get(text) : undefined;
    if (described !== undefined) scope.set(text, described);
  }
}

/** Methods that keep the meaning of what they are called on; every other call has none. */
const WRAPPERS = new Set(["array", "record", "object", "union", "discriminatedUnion", "defineQuery"]);

class ExpressionReader {
  readonly #tokens: readonly Token[];
  readonly #scope: ReadonlyMap<string, Meaning>;
  readonly #path: string;
  #at = 0;

  constructor(tokens: readonly Token[], scope: ReadonlyMap<string, Meaning>, path: string) {
    this.#tokens = tokens;
    this.#scope = scope;
    this.#path = path;
  }

  /** Reads up to a comma, a closing bracket or the end. */
  expression(): Meaning {
    const described = this.#postfix(this.#primary());
    this.#skip();
    return described;
  }

  #peek(): string | undefined {
    return this.#tokens[this.#at]?.text;
  }

  #next(): Token | undefined {
    const token = this.#tokens[this.#at];
    this.#at += 1;
    return token;
  }

  #primary(): Meaning {
    const token = this.#tokens[this.#at];
    if (token?.text === "{") return this.#object();
    if (token?.text === "[") return { options: this.#list("]") };
    if (token?.text === "(" && this.#tokens[this.#at + 1]?.text === ")") {
      this.#at += 2;
      if (this.#peek() !== "=>") return {};
      this.#at += 1;
      return this.expression();
    }
    if (token?.kind !== "name") return {};
    this.#at += 1;
    if (WRAPPERS.has(token.text) && this.#peek() === "(") return wrapped(token.text, this.#arguments());
    return named(this.#scope.get(token.text) ?? {});
  }

  #postfix(start: Meaning): Meaning {
    let described = start;
    for (;;) {
      const text = this.#peek();
      if (text === "(") {
        this.#arguments();
      } else if (text === ".") {
        this.#at += 1;
        const name = this.#next()?.text ?? "";
        described =
          this.#peek() === "(" ? method(described, name, this.#arguments()) : member(described, name);
      } else return described;
    }
  }

  #arguments(): readonly Meaning[] {
    return this.#list(")");
  }

  #list(end: string): readonly Meaning[] {
    this.#at += 1;
    const list: Meaning[] = [];
    while (this.#at < this.#tokens.length && this.#peek() !== end) {
      const about = this.#comment();
      if (this.#peek() === "...") this.#at += 1;
      list.push(withAbout(this.expression(), about));
      if (this.#peek() === ",") this.#at += 1;
    }
    this.#at += 1;
    return list;
  }

  #object(): Meaning {
    this.#at += 1;
    const fields: Record<string, Meaning> = {};
    while (this.#at < this.#tokens.length && this.#peek() !== "}") {
      const about = this.#comment();
      if (this.#peek() === "...") {
        if (about !== undefined) this.#fail("a comment stands before fields that come from elsewhere");
        this.#at += 1;
        Object.assign(fields, this.expression().fields);
      } else {
        const name = this.#next()?.text.replaceAll('"', "") ?? "";
        const isShort = this.#peek() === "," || this.#peek() === "}";
        if (!isShort && this.#peek() === ":") this.#at += 1;
        const value = isShort ? named(this.#scope.get(name) ?? {}) : this.expression();
        fields[name] = withAbout(value, about);
      }
      if (this.#peek() === ",") this.#at += 1;
    }
    this.#at += 1;
    return { fields };
  }

  #comment(): string | undefined {
    if (this.#tokens[this.#at]?.kind !== "comment") return undefined;
    return aboutOf(this.#next()?.text ?? "");
  }

  /** Passes over what has no meaning of its own: operators, types and functions. */
  #skip(): void {
    let depth = 0;
    for (; this.#at < this.#tokens.length; this.#at += 1) {
      const token = this.#tokens[this.#at];
      const text = token?.text ?? "";
      if (token?.kind === "comment") this.#fail("a comment stands before neither a field nor an element");
      if (depth === 0 && [",", ")", "]", "}", ";"].includes(text)) return;
      if (["(", "[", "{"].includes(text)) depth += 1;
      if ([")", "]", "}"].includes(text)) depth -= 1;
    }
  }

  #fail(why: string): never {
    const { line = 0 } = this.#tokens[this.#at] ?? this.#tokens.at(-1) ?? {};
    throw new Error(`${this.#path}:${line}: ${why}`);
  }
}

function named(described: Meaning): Meaning {
  return described.about === undefined ? described : { ...described, named: true };
}

function withAbout(described: Meaning, about: string | undefined): Meaning {
  if (about === undefined) return described;
  const { named: _named, ...rest } = described;
  return { ...rest, about };
}

function wrapped(name: string, given: readonly Meaning[]): Meaning {
  const [first = {}, second = {}] = given;
  switch (name) {
    case "array":
      return { items: first };
    case "record":
      return { values: second };
    case "union":
      return { options: first.options ?? [] };
    case "discriminatedUnion":
      return { options: second.options ?? [] };
    default:
      return first;
  }
}

function method(on: Meaning, name: string, given: readonly Meaning[]): Meaning {
  if (WRAPPERS.has(name))
    return name === "array" && given.length === 0 ? { items: on } : wrapped(name, given);
  if (name !== "extend") return on;
  const { about: _about, named: _named, ...rest } = on;
  return { ...rest, fields: { ...on.fields, ...given[0]?.fields } };
}

function member(on: Meaning, name: string): Meaning {
  if (name === "shape" || name === "options") return on;
  return named(on.fields?.[name] ?? {});
}

/** References to the documents behind the code: a reader of the protocol does not have them. */
const REFERENCE = / ?\((?:\[A\][^)]*|hard rule \d+|[A-Z]{2,}-\d+(?:, [A-Z]{2,}-\d+)*)\)/g;

/** Returns the text of a doc comment: one line for each paragraph and each item of a list. */
export function aboutOf(comment: string): string {
  const lines = comment
    .replace(/^\/\*\*/, "")
    .replace(/\*\/$/, "")
    .split("\n")
    .map((line) => line.replace(/^\s*\*? ?/, "").trim());
  return lines
    .map((line) => (line === "" ? "\n" : line.startsWith("- ") ? `\n${line}` : ` ${line}`))
    .join("")
    .replaceAll(/\n\s*\n?\s*/g, "\n")
    .replaceAll(REFERENCE, "")
    .trim();
}
