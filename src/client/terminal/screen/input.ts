import { decodeKittyPrintable, isKeyRelease, parseKey } from "@earendil-works/pi-tui";
import type { BackgroundInput, MouseInput, ScreenInput } from "./screen.ts";

const PASTE = /^\u001b\[200~([\s\S]*)\u001b\[201~$/;
const MOUSE = /^\u001b\[<(\d+);(\d+);(\d+)([Mm])$/;
const FOCUS = new Map([
  ["\u001b[I", true],
  ["\u001b[O", false],
  // The terminal knows these reports. The window in which the client is started has the focus.
  ["\u001b[?1004;1$y", true],
]);
/** The background of the terminal (OSC 11): one to four hexadecimal digits for each colour. */
const BACKGROUND =
  /^\u001b\]11;rgba?:([\da-f]{1,4})\/([\da-f]{1,4})\/([\da-f]{1,4})(?:\/[\da-f]{1,4})?(?:\u0007|\u001b\\)$/i;
/** A letter or digit behind ESC: Alt in terminals without an extended protocol. */
const ALT = /^\u001b([a-zA-Z0-9.,<>_/-])$/;
/** A key with modifiers as xterm reports it (modifyOtherKeys): capitals and shifted marks come like this too. */
const OTHER_KEY = /^\u001b\[27;(\d+);(\d+)~$/;
/** Bits of the modifiers of such a key, and those of locks, which change nothing. */
const [SHIFTED, LOCKS] = [1, 64 | 128];
/** Bits of a mouse button in SGR reports. */
const [SHIFT, MOTION, WHEEL] = [4, 32, 64];
const BUTTONS = ["left", "middle", "right", "none"] as const;
/** Home and End as tmux, screen and the Linux console send them, and as rxvt does. */
const PLACES = new Map([
  ["\u001b[1~", "home"],
  ["\u001b[7~", "home"],
  ["\u001b[4~", "end"],
  ["\u001b[8~", "end"],
]);
const ESCAPES = "\u001b\u001b";

/**
 * Returns what one sequence from the terminal means; undefined for a key that is released, and for answers of the
 * terminal that nobody asked for.
 */
export function inputOf(data: string): ScreenInput | undefined {
  const pasted = PASTE.exec(data)?.[1];
  if (pasted !== undefined) return { kind: "paste", text: pasted };
  const isFocused = FOCUS.get(data);
  if (isFocused !== undefined) return { kind: "focus", isFocused };
  const background = BACKGROUND.exec(data);
  if (background !== null) return backgroundOf(background);
  const mouse = MOUSE.exec(data);
  if (mouse !== null) return mouseOf(mouse);
  if (isKeyRelease(data)) return undefined;
  return keyOf(data);
}

/** Returns what one sequence means, key by key: two Escapes that are pressed quickly come as one sequence. */
export function inputsOf(data: string): readonly ScreenInput[] {
  const sequences = data === ESCAPES ? [...ESCAPES] : [data];
  return sequences.flatMap((each) => inputOf(each) ?? []);
}

function keyOf(data: string): ScreenInput | undefined {
  if (data === "\n") return { kind: "key", key: "ctrl+j" };
  const place = PLACES.get(data);
  if (place !== undefined) return { kind: "key", key: place };
  const letter = ALT.exec(data)?.[1];
  if (letter !== undefined) return { kind: "key", key: altKey(letter) };
  const other = OTHER_KEY.exec(data);
  const text = decodeKittyPrintable(data) ?? (other === null ? printable(data) : otherText(other));
  const key = parseKey(other === null ? data : withoutShift(other));
  if (text !== undefined) return { kind: "key", key: text === " " ? "space" : text, text };
  return key === undefined ? undefined : { kind: "key", key };
}

/** Returns the text of a key that has no modifier, or Shift alone. */
function otherText([, modifiers, code]: RegExpExecArray): string | undefined {
  const bits = (Number(modifiers) - 1) & ~LOCKS;
  return bits === 0 || bits === SHIFTED ? printable(characterOf(code)) : undefined;
}

/** Returns the sequence without the Shift key if that has made another mark of the key: Ctrl-_ is no Ctrl-Shift-_. */
function withoutShift([data, modifiers, code]: RegExpExecArray): string {
  const bits = Number(modifiers) - 1;
  const isMark = /^[!-/:-@[-`{-~]$/.test(characterOf(code));
  return isMark && (bits & SHIFTED) !== 0 ? `\u001b[27;${(bits & ~SHIFTED) + 1};${code}~` : data;
}

function characterOf(code: string | undefined): string {
  const value = Number(code);
  return value <= 0x10ffff ? String.fromCodePoint(value) : "";
}

function altKey(character: string): string {
  const lower = character.toLowerCase();
  return lower === character ? `alt+${character}` : `shift+alt+${lower}`;
}

/** Returns typed characters; undefined for a control sequence. */
function printable(data: string): string | undefined {
  return data === "" || /[\u0000-\u001f\u007f-\u009f]/.test(data) ? undefined : data;
}

function mouseOf([, code = "0", column = "1", row = "1", end]: RegExpExecArray): MouseInput {
  const bits = Number(code);
  const place = { row: Number(row) - 1, column: Number(column) - 1, shift: (bits & SHIFT) !== 0 };
  if ((bits & WHEEL) !== 0)
    return { kind: "mouse", type: "wheel", button: "none", wheel: (bits & 1) === 0 ? -1 : 1, ...place };
  const button = BUTTONS[bits & 3] ?? "none";
  const isMoving = (bits & MOTION) !== 0;
  const type = isMoving ? (button === "none" ? "move" : "drag") : end === "M" ? "press" : "release";
  return { kind: "mouse", type, button, wheel: 0, ...place };
}

function backgroundOf([, ...channels]: RegExpExecArray): BackgroundInput {
  const [red = 0, green = 0, blue = 0] = channels.map((digits) =>
    Math.round((Number.parseInt(digits, 16) / (16 ** digits.length - 1)) * 255),
  );
  return { kind: "background", colour: [red, green, blue] };
}
