/** Modifiers in the order in which names of keys have them, with other words for them. */
const MODIFIERS: Readonly<Record<string, string>> = {
  shift: "shift",
  ctrl: "ctrl",
  control: "ctrl",
  alt: "alt",
  option: "alt",
  opt: "alt",
  meta: "alt",
  super: "super",
  cmd: "super",
  command: "super",
  win: "super",
};
const ORDER = ["shift", "ctrl", "alt", "super"] as const;

/** Keys that type nothing, in lower case, with other words for them. */
const NAMED: Readonly<Record<string, string>> = {
  ...{ escape: "escape", esc: "escape", enter: "enter", return: "enter", tab: "tab" },
  ...{ space: "space", spacebar: "space", backspace: "backspace", delete: "delete", del: "delete" },
  ...{ insert: "insert", ins: "insert", clear: "clear", home: "home", end: "end" },
  ...{ pageup: "pageUp", pgup: "pageUp", pagedown: "pageDown", pgdn: "pageDown", pgdown: "pageDown" },
  ...{ up: "up", down: "down", left: "left", right: "right" },
};
const FUNCTION_KEY = /^f(?:[1-9]|1[0-2])$/;

/** Names of keys for hints about a mistyped one. */
export const KEY_WORDS: readonly string[] = [...new Set([...Object.keys(NAMED), ...Object.keys(MODIFIERS)])];

/**
 * Returns the one name that a key has in the table: modifiers in their order, letters with Shift as `A` or as
 * `shift+alt+a`. Returns undefined for what is no key.
 */
export function keyName(written: string): string | undefined {
  if ([...written].length === 1) return written === " " ? "space" : written;
  const [, before = "", last = ""] = /^(.*\+)?(.+)$/s.exec(written) ?? [];
  const modifiers = new Set<string>();
  for (const each of before.split("+").slice(0, -1)) {
    const modifier = MODIFIERS[each.toLowerCase()];
    if (modifier === undefined) return undefined;
    modifiers.add(modifier);
  }
  const base = baseOf(last);
  if (base === undefined) return undefined;
  if (/^\p{L}$/u.test(base)) return letterName(base, modifiers);
  // Which character Shift types depends on the keyboard: only the character itself is known.
  if ([...base].length === 1 && modifiers.size === 1 && modifiers.has("shift")) return undefined;
  return joined(modifiers, base);
}

/** Returns true for a key that types a character. */
export function typesText(name: string): boolean {
  return name === "space" || [...name].length === 1;
}

function baseOf(written: string): string | undefined {
  if ([...written].length === 1) return written === " " ? "space" : written;
  const lower = written.toLowerCase();
  return Object.hasOwn(NAMED, lower) ? NAMED[lower] : FUNCTION_KEY.test(lower) ? lower : undefined;
}

/** Only without other modifiers does a capital stand for Shift: `Ctrl+K` is written for `ctrl+k`. */
function letterName(letter: string, modifiers: ReadonlySet<string>): string {
  const isAlone = modifiers.size === 0 || (modifiers.size === 1 && modifiers.has("shift"));
  if (isAlone) return modifiers.has("shift") ? letter.toUpperCase() : letter;
  return joined(modifiers, letter.toLowerCase());
}

function joined(modifiers: ReadonlySet<string>, base: string): string {
  return [...ORDER.filter((each) => modifiers.has(each)), base].join("+");
}
