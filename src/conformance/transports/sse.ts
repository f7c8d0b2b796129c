/** One frame of a server-sent event stream. */
export interface SseFrame {
  readonly id?: string;
  readonly event?: string;
  /** The lines of data, joined by line breaks. */
  readonly data?: string;
  readonly comments: readonly string[];
}

/** Incremental reader of server-sent events; the result does not depend on where the text is split. */
export class SseReader {
  #rest = "";

  /** Adds a piece of text; returns the frames that are now complete. */
  push(text: string): readonly SseFrame[] {
    // A final CR may be half of a CRLF, so it stays until more has come.
    const all = `${this.#rest}${text}`;
    const lineEnd = all.endsWith("\r") ? "\r" : "";
    const blocks = all
      .slice(0, all.length - lineEnd.length)
      .replaceAll(/\r\n?/g, "\n")
      .split("\n\n");
    this.#rest = `${blocks.pop() ?? ""}${lineEnd}`;
    return blocks.map(frameOf);
  }
}

function frameOf(block: string): SseFrame {
  const frame: { id?: string; event?: string } = {};
  const [comments, data]: [string[], string[]] = [[], []];
  for (const line of block.split("\n")) {
    const colon = line.indexOf(":");
    const name = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "" && colon === 0) comments.push(value);
    if (name === "id") frame.id = value;
    if (name === "event") frame.event = value;
    if (name === "data") data.push(value);
  }
  return { ...frame, ...(data.length === 0 ? {} : { data: data.join("\n") }), comments };
}
