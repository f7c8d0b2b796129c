/** The way to a key: names, and behind the name of a list of tables which of them, from 0. */
export type KeyPath = readonly (string | number)[];

/**
 * Returns the line of a key in a TOML text, from 1. For inline tables and keys with escapes it returns the line of
 * the nearest table around it. Use it in messages only.
 */
export function lineOf(text: string, keys: KeyPath): number {
  const lists = new Map<string, number>();
  let table: KeyPath = [];
  let best = { depth: -1, line: 1 };
  let quote: string | undefined;
  for (const [index, line] of text.split("\n").entries()) {
    if (quote === undefined) {
      const [, list, header] = /^\s*\[(\[?)\s*(.+?)\s*\]\]?\s*(?:#.*)?$/.exec(line) ?? [];
      if (header !== undefined) table = tableOf(splitKey(header), list !== "", lists);
      const key =
        header === undefined ? /^\s*((?:"[^"]*"|'[^']*'|[A-Za-z0-9_.\s-])+?)\s*=/.exec(line)?.[1] : undefined;
      const full = key === undefined ? table : [...table, ...splitKey(key)];
      const depth = header === undefined && key === undefined ? -1 : depthOf(full, keys);
      if (depth > best.depth) best = { depth, line: index + 1 };
    }
    quote = openQuote(line, quote);
  }
  return best.line;
}

/** Returns the table of a header: in the newest table of each list that it names, or in a new one. */
function tableOf(parts: readonly string[], isList: boolean, lists: Map<string, number>): KeyPath {
  const path: (string | number)[] = [];
  for (const [at, part] of parts.entries()) {
    path.push(part);
    const list = JSON.stringify(path);
    const count = lists.get(list);
    if (isList && at === parts.length - 1) {
      lists.set(list, (count ?? 0) + 1);
      path.push(count ?? 0);
    } else if (count !== undefined) path.push(count - 1);
  }
  return path;
}

/** Returns the number of searched keys that this line names; −1 if it names another key. */
function depthOf(full: KeyPath, keys: KeyPath): number {
  const isOfList = full.length === keys.length + 1 && typeof full.at(-1) === "number";
  const named = isOfList ? full.slice(0, -1) : full;
  const shared = named.every((part, at) => part === keys[at]);
  return shared && named.length <= keys.length ? named.length : -1;
}

function splitKey(key: string): readonly string[] {
  return [...key.matchAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'|([A-Za-z0-9_-]+)/g)].map(
    (part) => part[1] ?? part[2] ?? part[3] ?? "",
  );
}

/** Returns the kind of multi-line string that is open after a line. */
function openQuote(line: string, before: string | undefined): string | undefined {
  let open = before;
  for (const [quote] of line.matchAll(/"""|'''/g)) {
    if (open === undefined) open = quote;
    else if (open === quote) open = undefined;
  }
  return open;
}
