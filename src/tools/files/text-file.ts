/** The text of a file and how it was stored, so that it can be stored the same way again. */
export interface FileText {
  readonly text: string;
  readonly encoding: "utf-8" | "utf-16le" | "utf-16be";
  /** Whether a byte order mark stands before the text. */
  readonly mark: boolean;
}

const BYTE_ORDER_MARK = "\uFEFF";

/** How a text that begins with these bytes is stored; UTF-16 only where a byte order mark says so. */
export function encodingOf(beginning: Uint8Array): FileText["encoding"] {
  if (beginning[0] === 0xff && beginning[1] === 0xfe) return "utf-16le";
  return beginning[0] === 0xfe && beginning[1] === 0xff ? "utf-16be" : "utf-8";
}

/** Reads bytes as text without loss; undefined where they are no text, or not wholly. */
export function parseText(bytes: Uint8Array): FileText | undefined {
  const encoding = encodingOf(bytes);
  try {
    const whole = new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes);
    if (whole.includes("\0")) return undefined;
    const mark = whole.startsWith(BYTE_ORDER_MARK);
    return { text: mark ? whole.slice(1) : whole, encoding, mark };
  } catch {
    return undefined; // not valid in its encoding: the caller says what that means
  }
}

/** The bytes of a text in the encoding it was read in. */
export function renderText({ text, encoding, mark }: FileText): Uint8Array {
  const whole = mark ? BYTE_ORDER_MARK + text : text;
  if (encoding === "utf-8") return new TextEncoder().encode(whole);
  const view = new DataView(new ArrayBuffer(whole.length * 2));
  for (let i = 0; i < whole.length; i++) view.setUint16(i * 2, whole.charCodeAt(i), encoding === "utf-16le");
  return new Uint8Array(view.buffer);
}

/** Lines as people count them: a newline at the end begins no further line. */
export function lineCount(text: string): number {
  if (text === "") return 0;
  let lines = text.endsWith("\n") ? 0 : 1;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lines += 1;
  return lines;
}
