/** One file of a trust question. */
export interface ReviewedFile {
  /** Path in the question; empty for a question about one file. */
  readonly path: string;
  /** `new`: the whole file. `changed`: the differing places with their context. */
  readonly kind: "new" | "changed";
  readonly lines: readonly string[];
}

/** A trust question, apart from its choices. */
export interface TrustReview {
  /** Sentences about its kind, its effect and suspicious parts. */
  readonly head: readonly string[];
  readonly files: readonly ReviewedFile[];
}

/** Reads the text of a trust question: sentences, an empty line, then each file under `== PATH`. */
export function parseReview(text: string): TrustReview {
  const lines = text.split("\n");
  const end = lines.indexOf("");
  if (end < 0) return { head: lines, files: [] };
  const files: { path: string; lines: string[] }[] = [];
  for (const line of lines.slice(end + 1)) {
    // A line of a file has a sign in front, so that no file can begin another one.
    if (line.startsWith("== ")) files.push({ path: line.slice(3), lines: [] });
    else {
      if (files.length === 0) files.push({ path: "", lines: [] });
      files.at(-1)?.lines.push(line);
    }
  }
  return { head: lines.slice(0, end), files: files.map(withKind) };
}

function withKind(file: Omit<ReviewedFile, "kind">): ReviewedFile {
  return { ...file, kind: file.lines.some((line) => line.startsWith("@@ ")) ? "changed" : "new" };
}

/** A row of a diff with its two sides; undefined where a side has nothing. */
export interface SidePair {
  readonly left: string | undefined;
  readonly right: string | undefined;
}

/** Returns the lines of a diff with what was removed beside what was added in its place. */
export function sidePairs(lines: readonly string[]): readonly SidePair[] {
  const pairs: SidePair[] = [];
  let removed: string[] = [];
  let added: string[] = [];
  const flush = () => {
    for (let at = 0; at < Math.max(removed.length, added.length); at++)
      pairs.push({ left: removed[at], right: added[at] });
    removed = [];
    added = [];
  };
  for (const line of lines) {
    if (line.startsWith("-")) {
      if (added.length > 0) flush();
      removed.push(line);
    } else if (line.startsWith("+")) added.push(line);
    else {
      flush();
      pairs.push({ left: line, right: line });
    }
  }
  flush();
  return pairs;
}
