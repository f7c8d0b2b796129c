/**
 * Replaces what a search finds in a text that may arrive in pieces: together the pieces give what the whole gives.
 */
export interface Search {
  /** Every text that a secret can begin with, for holding back the first characters of one. */
  readonly starts: readonly Start[];
  readonly startCharactersMax: number;
  /** Finds the next of the starts, the longest where several stand at one place. */
  readonly trigger: RegExp;
  decide(place: Place): Verdict;
}

export interface Start {
  readonly text: string;
  /** It counts only where no letter or digit stands before it. */
  readonly bounded: boolean;
}

/** Where the trigger found one of the starts. */
export interface Place {
  readonly text: string;
  readonly at: number;
  readonly start: string;
  /** The character before it; "" at the beginning of the text, "»" behind a marker. */
  readonly before: string;
  /** No more text comes: everything must be decided. */
  readonly complete: boolean;
}

/** `undecided`: the text ends before it can be told; asked again with more of it. */
export type Verdict =
  | { readonly kind: "secret"; readonly name: string; readonly from: number; readonly to: number }
  | { readonly kind: "no" }
  | { readonly kind: "undecided" };

export interface Scanned {
  readonly out: string;
  readonly held: string;
  /** The last character of what is out. */
  readonly before: string;
}

export function search(starts: readonly Start[], decide: Search["decide"]): Search {
  const texts = [...new Set(starts.map(({ text }) => text))].sort((a, b) => b.length - a.length);
  const escaped = texts.map((text) => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, "\\$&"));
  return {
    starts,
    startCharactersMax: texts[0]?.length ?? 0,
    trigger: new RegExp(escaped.length === 0 ? "(?!)" : escaped.join("|"), "g"),
    decide,
  };
}

/** One pass over a text; `held` is what must wait for more, and is "" where the text is complete. */
export function scan(by: Search, text: string, before: string, complete: boolean): Scanned {
  let out = "";
  let from = 0; // what lies before is in `out`
  let last = before; // the character before `from`
  let at = 0;
  while (true) {
    by.trigger.lastIndex = at;
    const found = by.trigger.exec(text);
    const near = found === null || found.index > text.length - by.startCharactersMax;
    const open = near && !complete ? openEnd(by, text, from, last) : text.length;
    if (found === null || found.index > open) return finish(open);
    const characterBefore = found.index === from ? last : (text[found.index - 1] ?? "");
    const verdict = by.decide({ text, at: found.index, start: found[0], before: characterBefore, complete });
    if (verdict.kind === "undecided") return finish(Math.min(open, found.index));
    if (verdict.kind === "no") {
      at = found.index + 1;
      continue;
    }
    out += `${text.slice(from, verdict.from)}«redacted:${verdict.name}»`;
    from = verdict.to;
    at = from;
    last = "»";
  }

  function finish(end: number): Scanned {
    const emitted = out + text.slice(from, end);
    return { out: emitted, held: text.slice(end), before: emitted.at(-1) ?? before };
  }
}

/** Where the text ends in what may be the first characters of a secret, or in half a surrogate pair. */
function openEnd(by: Search, text: string, from: number, last: string): number {
  let open = text.length;
  if (/[\ud800-\udbff]$/.test(text)) open--;
  for (const start of by.starts) {
    for (let at = Math.max(from, text.length - start.text.length + 1); at < open; at++) {
      const before = at === from ? last : (text[at - 1] ?? "");
      if (start.text.startsWith(text.slice(at)) && !(start.bounded && isWordCharacter(before))) open = at;
    }
  }
  return open;
}

export function isWordCharacter(character: string): boolean {
  return /[A-Za-z0-9]/.test(character);
}
