/** One word, sign, literal or doc comment of a TypeScript source. Other comments are left out. */
export interface Token {
  readonly kind: "name" | "number" | "string" | "regex" | "sign" | "comment";
  readonly text: string;
  /** Lines count from 1, columns from 0. */
  readonly line: number;
  readonly endLine: number;
  readonly column: number;
}

const PIECES: readonly (readonly [Token["kind"] | "space", RegExp])[] = [
  ["space", /\s+|\/\/[^\n]*|\/\*(?!\*)[\s\S]*?\*\//y],
  ["comment", /\/\*\*[\s\S]*?\*\//y],
  ["name", /[#A-Za-z_$][\w$]*/y],
  ["number", /\d[\w.]*/y],
  ["string", /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\[\s\S])*`/y],
  ["sign", /\.\.\.|=>|[!=]==?|&&|\|\||\?\?|\?\.|[-+*%<>=!?:;,.(){}[\]&|^~@]/y],
];
const REGEX = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y;

/**
 * Splits a source into tokens. A template literal is one string, and may hold no other template.
 * @throws Error at the first character that begins none.
 */
export function tokensOf(source: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  let line = 1;
  while (at < source.length) {
    const [kind, text] = pieceAt(source, at);
    const endLine = line + text.split("\n").length - 1;
    const column = at - (source.lastIndexOf("\n", at - 1) + 1);
    if (kind !== "space") tokens.push({ kind, text, line, endLine, column });
    at += text.length;
    line = endLine;
  }
  return tokens;
}

function pieceAt(source: string, at: number): readonly [Token["kind"] | "space", string] {
  for (const [kind, pattern] of [...PIECES, ["regex", REGEX] as const]) {
    pattern.lastIndex = at;
    const text = pattern.exec(source)?.[0];
    if (text !== undefined) return [kind, text];
  }
  // A division: schemas hold no other sign that begins nothing above.
  if (source[at] === "/") return ["sign", "/"];
  throw new Error(`no token begins with ${JSON.stringify(source.slice(at, at + 20))}`);
}
