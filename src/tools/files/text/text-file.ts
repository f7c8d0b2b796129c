/** The text of a file and its encoding, to write it back the same way. */
export interface FileText {
  readonly text: string;
  readonly encoding: "utf-8" | "utf-16le" | "utf-16be";
  /** True if the file begins with a byte order mark. */
  readonly mark: boolean;
}

const BYTE_ORDER_MARK = "\uFEFF";

/** Detects the encoding from the first bytes; UTF-16 only with a byte order mark. */
export function detectEncoding(beginning: Uint8Array): FileText["encoding"] {
  if (beginning[0] === 0xff && beginning[1] === 0xfe) return "utf-16le";
  return beginning[0] === 0xfe && beginning[1] === 0xff ? "utf-16be" : "utf-8";
}

/** Decodes bytes without loss; undefined if they are not entirely text. */
export function parseText(bytes: Uint8Array): FileText | undefined {
  const encoding = detectEncoding(bytes);
  try {
    const whole = new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes);
    if (whole.includes("\0")) return undefined;
    const mark = whole.startsWith(BYTE_ORDER_MARK);
    return { text: mark ? whole.slice(1) : whole, encoding, mark };
  } catch {
    return undefined; // not valid in its encoding: the caller decides what that means
  }
}

/** Encodes a text as it was read. */
export function renderText({ text, encoding, mark }: FileText): Uint8Array {
  const whole = mark ? BYTE_ORDER_MARK + text : text;
  if (encoding === "utf-8") return new TextEncoder().encode(whole);
  const view = new DataView(new ArrayBuffer(whole.length * 2));
  for (let i = 0; i < whole.length; i++) view.setUint16(i * 2, whole.charCodeAt(i), encoding === "utf-16le");
  return new Uint8Array(view.buffer);
}

/** Counts lines as people do: a final newline begins no further line. */
export function lineCount(text: string): number {
  if (text === "") return 0;
  let lines = text.endsWith("\n") ? 0 : 1;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lines += 1;
  return lines;
}
