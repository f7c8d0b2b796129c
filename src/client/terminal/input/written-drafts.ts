import { imageBytes } from "../images/draft-image.ts";
import type { ChippedText } from "./editor/chips.ts";
import { imagesOf, withImageChips } from "./editor/chips.ts";
import type { OutgoingMessage } from "./message.ts";

const WRITTEN_MAX = 20;
/** Bytes and characters of all of them, approximately. */
const WRITTEN_BYTES_MAX = 64 * 1024 * 1024;

/** Drafts with chips that were sent or cleared, by their whole text: they come back with their chips. */
export class WrittenDrafts {
  readonly #written = new Map<string, ChippedText>();

  /** Keeps a draft. The oldest ones go when there are more than 20, or they have more than 64 MiB. */
  note(text: string, chipped: ChippedText): void {
    if (chipped.text === text) return;
    this.#written.delete(text);
    this.#written.set(text, chipped);
    const size = () => [...this.#written.values()].reduce((sum, each) => sum + sizeOf(each), 0);
    for (const oldest of [...this.#written.keys()])
      if (this.#written.size > WRITTEN_MAX || size() > WRITTEN_BYTES_MAX) this.#written.delete(oldest);
  }

  /** Returns a message as it was written, with chips for its pasted texts and images. */
  chipped({ text, images }: Pick<OutgoingMessage, "text" | "images">): ChippedText {
    const written = this.#written.get(text);
    if (written !== undefined && imagesOf(written).length >= images.length) return written;
    return withImageChips(text, images);
  }
}

function sizeOf({ text, chips }: ChippedText): number {
  return chips.reduce(
    (sum, chip) => sum + chip.text.length + (chip.image === undefined ? 0 : imageBytes(chip.image)),
    text.length,
  );
}
