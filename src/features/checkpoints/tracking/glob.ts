/** A pattern of `.gitignore`, folder by folder. */
export interface Glob {
  readonly segments: readonly Segment[];
}

/** `**`, which matches any folders or none, or the pieces of one name. */
type Segment = "folders" | readonly Piece[];
type Piece = "any characters" | ((character: string) => boolean);

/** Parses a pattern; undefined for one with an invalid class of characters. */
export function parseGlob(text: string): Glob | undefined {
  try {
    const segments = text.split("/").map((part) => (part === "**" ? "folders" : piecesOf(part)));
    // At the end `**` matches everything inside.
    return { segments: segments.at(-1) === "folders" ? [...segments, ["any characters"]] : segments };
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return undefined;
    throw thrown;
  }
}

/**
 * Returns true if a whole path matches. Takes time proportional to path times pattern at most: a hostile repository
 * chooses both (REL-06).
 */
export function matchesGlob({ segments }: Glob, path: string): boolean {
  return matches(segments, path.split("/"), {
    isWild: (segment) => segment === "folders",
    fits: (segment, name) => segment !== "folders" && matchesName(segment, name),
  });
}

function matchesName(pieces: readonly Piece[], name: string): boolean {
  return matches(pieces, [...name], {
    isWild: (piece) => piece === "any characters",
    fits: (piece, character) => piece !== "any characters" && piece(character),
  });
}

interface Matching<Part, Item> {
  /** Returns true if a part matches any number of items. */
  isWild(part: Part): boolean;
  fits(part: Part, item: Item): boolean;
}

/** Only the newest wild part is ever tried again: it can take what an earlier one could. */
function matches<Part, Item>(
  parts: readonly Part[],
  items: readonly Item[],
  { isWild, fits }: Matching<Part, Item>,
): boolean {
  let part = 0;
  let again: { readonly part: number; readonly from: number } | undefined;
  for (let at = 0; at < items.length; ) {
    const [wanted, item] = [parts[part], items[at] as Item];
    if (wanted !== undefined && isWild(wanted)) {
      part += 1;
      again = { part, from: at };
    } else if (wanted !== undefined && fits(wanted, item)) {
      part += 1;
      at += 1;
    } else {
      if (again === undefined) return false;
      again = { part: again.part, from: again.from + 1 };
      ({ part, from: at } = again);
    }
  }
  return parts.slice(part).every(isWild);
}

function piecesOf(part: string): readonly Piece[] {
  const pieces: Piece[] = [];
  for (let at = 0; at < part.length; ) {
    const [piece, length] = pieceOf(part.slice(at));
    pieces.push(piece);
    at += length;
  }
  return pieces;
}

function pieceOf(rest: string): readonly [Piece, number] {
  const stars = /^\*+/u.exec(rest)?.[0].length ?? 0;
  if (stars > 0) return ["any characters", stars];
  if (rest.startsWith("?")) return [() => true, 1];
  const set = /^\[(!|\^)?(\]?[^\]]*)\]/u.exec(rest);
  if (set !== null) {
    const [whole, not, inside = ""] = set;
    const members = inside.replaceAll(/[\\[\]&~^]/gu, "\\$&");
    const pattern = new RegExp(`^[${not === undefined ? "" : "^"}${members}]$`, "su");
    return [(character) => pattern.test(character), whole.length];
  }
  const isEscaped = rest.startsWith("\\") && rest.length > 1;
  const [literal = ""] = isEscaped ? rest.slice(1) : rest;
  return [(character) => character === literal, literal.length + (isEscaped ? 1 : 0)];
}
