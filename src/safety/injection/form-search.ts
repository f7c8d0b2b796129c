/**
 * Searches many patterns in one text. Most forms begin with a word, so a single pass over the text notes where a word
 * begins like one of them, and only there the pattern is tried. The matches are those of `matchAll`.
 */
export class FormSearch {
  readonly #patterns: readonly Pattern[];
  /** For each key, a bit for each pattern with a form that begins so. */
  readonly #byKey = new Uint32Array(KEYS);

  /** Compiles patterns, each of several forms: sources for the flags `iu`, which match no empty text. */
  constructor(patterns: readonly (readonly string[])[]) {
    if (patterns.length > PATTERNS_MAX) throw new RangeError(`more than ${PATTERNS_MAX} patterns`);
    this.#patterns = patterns.map((forms, index) => {
      const branches = forms.flatMap(branchesOf);
      for (const { starts } of branches) for (const start of starts ?? []) this.#add(start, 1 << index);
      const others = branches.filter(({ starts }) => starts === undefined).map(({ source }) => source);
      return { here: joined(forms, "iuy"), elsewhere: others.length > 0 ? joined(others, "giu") : undefined };
    });
  }

  /** Returns, for each pattern, what of the text it matches: at most `max` matches, in the order of the text. */
  search(text: string, max: number): readonly (readonly string[])[] {
    const places = this.#placesIn(text);
    return this.#patterns.map((pattern, index) =>
      matches(text, pattern, { places: places[index] ?? [], max }),
    );
  }

  #add(start: Start, bit: number): void {
    const missing = KEY_CLASSES - start.length;
    const first = start.reduce((key, each) => key * CLASSES + each, 0) * CLASSES ** missing;
    for (let key = first; key < first + CLASSES ** missing; key++)
      this.#byKey[key] = (this.#byKey[key] ?? 0) | bit;
  }

  /** Returns for each pattern the places where a word begins like one of its forms. */
  #placesIn(text: string): readonly (readonly number[])[] {
    const places: number[][] = this.#patterns.map(() => []);
    let previous = OTHER;
    let now = classAt(text, 0);
    let next = classAt(text, 1);
    for (let at = 0; at < text.length; at++) {
      const last = classAt(text, at + 2);
      if (now >= LETTER && previous < LETTER) {
        let bits = this.#byKey[(now * CLASSES + next) * CLASSES + last] ?? 0;
        for (; bits !== 0; bits &= bits - 1) places[31 - Math.clz32(bits & -bits)]?.push(at);
      }
      previous = now;
      now = next;
      next = last;
    }
    return places;
  }
}

interface Pattern {
  /** All forms, at one place. */
  readonly here: RegExp;
  /** The forms that do not begin with a known word. */
  readonly elsewhere: RegExp | undefined;
}

const PATTERNS_MAX = 32;

function joined(forms: readonly string[], flags: string): RegExp {
  return new RegExp(forms.map((form) => `(?:${form})`).join("|"), flags);
}

interface SearchOptions {
  readonly places: readonly number[];
  readonly max: number;
}

function matches(
  text: string,
  { here, elsewhere }: Pattern,
  { places, max }: SearchOptions,
): readonly string[] {
  const found: string[] = [];
  let from = 0;
  let index = 0;
  let other = nextMatch(elsewhere, text, 0);
  while (found.length < max) {
    while ((places[index] ?? text.length) < from) index += 1;
    if (other < from) other = nextMatch(elsewhere, text, from);
    const at = Math.min(places[index] ?? text.length, other);
    if (at >= text.length) break;
    here.lastIndex = at;
    const [match] = here.exec(text) ?? [];
    if (match !== undefined) found.push(match);
    from = at + Math.max(1, match?.length ?? 0);
  }
  return found;
}

function nextMatch(form: RegExp | undefined, text: string, from: number): number {
  if (form === undefined) return text.length;
  form.lastIndex = from;
  return form.exec(text)?.index ?? text.length;
}

// A key is the classes of the first three characters of a word: a letter in either case, a blank, or anything else.
const OTHER = 0;
const BLANK = 1;
/** The class of an a. */
const LETTER = 2;
const CLASSES = 32;
const KEY_CLASSES = 3;
const KEYS = CLASSES ** KEY_CLASSES;

function classAt(text: string, at: number): number {
  if (at >= text.length) return OTHER;
  const code = text.charCodeAt(at);
  const letter = (code | 0x20) - 0x61;
  if (letter >= 0 && letter < 26 && code < 0x80) return LETTER + letter;
  if (code === 0x20) return BLANK;
  if (code < 0x80) return OTHER;
  // The long s and the Kelvin sign are an s and a k to a pattern that ignores case.
  if (code === 0x17f) return LETTER + 18;
  return code === 0x212a ? LETTER + 10 : OTHER;
}

/** Classes of the characters that a match begins with: three, or fewer if what follows may be anything. */
type Start = readonly number[];

interface Branch {
  readonly source: string;
  /** Undefined if the branch may begin with something other than a word. */
  readonly starts: readonly Start[] | undefined;
}

/** Returns the alternatives of a form. */
function branchesOf(form: string): readonly Branch[] {
  const reader = new FormReader(form);
  const branches: Branch[] = [];
  for (let from = 0; ; from = reader.at) {
    const starts = reader.sequence([{ classes: [], open: true }]).map(({ classes }) => classes);
    const source = form.slice(from, reader.at);
    const led = source.startsWith("\\b") && starts.every(([first = OTHER]) => first >= LETTER);
    branches.push({ source, starts: led ? starts : undefined });
    if (!reader.take("|")) return branches;
  }
}

interface Prefix {
  readonly classes: Start;
  /** False once it is as long as a key, or a character may be anything. */
  readonly open: boolean;
}

/** Reads the source of a regular expression for how its matches begin. */
class FormReader {
  at = 0;
  readonly #form: string;

  constructor(form: string) {
    this.#form = form;
  }

  take(text: string): boolean {
    if (!this.#form.startsWith(text, this.at)) return false;
    this.at += text.length;
    return true;
  }

  /** Reads up to the next `|` or `)`, or to the end, and returns how a match begins that began with these. */
  sequence(before: readonly Prefix[]): readonly Prefix[] {
    let prefixes = before;
    for (;;) {
      if (!isOpen(prefixes)) this.#skip();
      const next = this.#form[this.at];
      if (next === undefined || next === "|" || next === ")") return prefixes;
      const read = this.#atom(prefixes);
      const [, least = "1", most = "1"] = this.#quantifier();
      if (read === prefixes) continue; // nothing that a match begins with
      const repeated = most === "1" ? read : read.map(({ classes }) => ({ classes, open: false }));
      prefixes = least === "0" ? distinct([...prefixes, ...repeated]) : repeated;
    }
  }

  /** Skips up to the next bracket or `|`: nothing of it begins a match any more. */
  #skip(): void {
    for (let inClass = false; this.at < this.#form.length; this.at++) {
      const character = this.#form[this.at];
      if (character === "\\") this.at += 1;
      else if (inClass) inClass = character !== "]";
      else if (character === "[") inClass = true;
      else if (character === "(" || character === ")" || character === "|") return;
    }
  }

  #atom(prefixes: readonly Prefix[]): readonly Prefix[] {
    const [whole = "", group, character] = this.#match(
      /(\((?:\?(?::|<?[=!]))?)|\\b|[$^]|\[(?:\\.|[^\]\\])*\]|\\[wWsSdDpP]|\.|\\?([\s\S])/y,
    );
    if (group !== undefined) {
      const consumes = group === "(" || group === "(?:";
      const inner = this.#group(consumes ? prefixes : []);
      return consumes ? inner : prefixes;
    }
    if (whole === "\\b" || whole === "$" || whole === "^") return prefixes;
    const added = character === undefined || /^\\\w/.test(whole) ? undefined : classAt(character, 0);
    return isOpen(prefixes) ? prefixes.map((prefix) => extended(prefix, added)) : prefixes;
  }

  #group(prefixes: readonly Prefix[]): readonly Prefix[] {
    const read: (readonly Prefix[])[] = [];
    do read.push(this.sequence(prefixes));
    while (this.take("|"));
    this.take(")");
    return read.every((each) => each === prefixes) ? prefixes : distinct(read.flat());
  }

  /** Returns the least and the most, where only 0 and 1 matter. */
  #quantifier(): readonly string[] {
    const [whole = "", least, most] = this.#match(/(?:[?*+]|\{(\d+)(?:,(\d*))?\})?\??/y);
    if (whole === "") return [];
    if (least !== undefined) return [whole, least, most ?? least];
    return [whole, whole.startsWith("+") ? "1" : "0", whole.startsWith("?") ? "1" : ""];
  }

  #match(token: RegExp): readonly (string | undefined)[] {
    token.lastIndex = this.at;
    const found = token.exec(this.#form) ?? [];
    this.at += found[0]?.length ?? 0;
    return found;
  }
}

function isOpen(prefixes: readonly Prefix[]): boolean {
  return prefixes.some(({ open }) => open);
}

function extended(prefix: Prefix, added: number | undefined): Prefix {
  const { classes, open } = prefix;
  if (!open) return prefix;
  if (added === undefined) return { classes, open: false };
  return { classes: [...classes, added], open: classes.length + 1 < KEY_CLASSES };
}

/** Removes what occurs twice, so that groups in groups stay few. */
function distinct(prefixes: readonly Prefix[]): readonly Prefix[] {
  return [...new Map(prefixes.map((each) => [`${each.classes.join()}${each.open}`, each])).values()];
}
