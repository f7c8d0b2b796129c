import { defined } from "../../../base/defined.ts";
import type { AttachmentId } from "../../../base/ids.ts";
import { sizeText } from "../../../base/text/size-text.ts";
import { shortened } from "../../../base/text/text.ts";
import { neutraliseLine } from "../../../view/terminal/terminal-text.ts";
import { imageFacts } from "./image-facts.ts";

/** An image that goes with a draft. */
export interface DraftImage {
  /** Name, size in pixels, form and size in bytes, as far as they are known: `shot.png 640x480, 34.0 KB`. */
  readonly facts: string;
  /** The image itself, or the attachment of the session that has it. */
  readonly source:
    | {
        readonly kind: "bytes";
        readonly bytes: Uint8Array;
        readonly mediaType: string;
        readonly name: string;
      }
    | { readonly kind: "stored"; readonly attachment: AttachmentId };
}

/** A stand-in of an image in a text. */
export interface FoundLabel {
  readonly from: number;
  readonly to: number;
  readonly number: number;
  readonly facts: string;
  /** The attachment that a kept draft names. */
  readonly attachment?: AttachmentId;
}

const NAME_CHARACTERS_MAX = 60;
const LABEL = /\[image (\d{1,4}): ([^[\]\n]{1,200}?)(?: (att_[0-7][0-9A-HJKMNP-TV-Z]{25}))?\]/g;

/**
 * Returns an image for a draft; undefined if the bytes are no image that models take (PNG, JPEG, GIF, WebP).
 * @param name name of its file; absent: it has none.
 */
export function draftImage(bytes: Uint8Array, name?: string): DraftImage | undefined {
  const found = imageFacts(bytes);
  if (found === undefined) return undefined;
  const { mediaType, size } = found;
  const form = mediaType.replace("image/", "");
  const shownName = name === undefined ? undefined : plainName(name);
  const words = [
    shownName,
    size === undefined ? undefined : `${size.width}x${size.height}`,
    shownName?.toLowerCase().endsWith(`.${form}`) === true ? undefined : form,
  ].filter((word) => word !== undefined);
  const facts = [words.join(" "), sizeText(bytes.length)].filter((each) => each !== "").join(", ");
  return { facts, source: { kind: "bytes", bytes, mediaType, name: shownName ?? `image.${form}` } };
}

/** Returns the bytes of an image that are kept here; 0 for one that its session has. */
export function imageBytes({ source }: DraftImage): number {
  return source.kind === "bytes" ? source.bytes.length : 0;
}

/** Returns the text that stands for an image in a draft, in the prompt and in the transcript. */
export function imageLabel({ facts }: Pick<DraftImage, "facts">, number: number): string {
  return `[image ${number}: ${facts}]`;
}

/** Returns the label of an image in a kept draft: with the attachment that has it, if there is one. */
export function keptLabel(label: string, attachment: AttachmentId | undefined): string {
  return attachment === undefined ? label : `${label.slice(0, -1)} ${attachment}]`;
}

/** Returns the stand-ins of images in a text, in order. */
export function imageLabels(text: string): readonly FoundLabel[] {
  return [...text.matchAll(LABEL)].map(({ 0: whole, 1: number, 2: facts = "", 3: attachment, index }) => ({
    from: index,
    to: index + whole.length,
    number: Number(number),
    facts,
    ...defined({ attachment: attachment as AttachmentId | undefined }),
  }));
}

/**
 * Reads a draft that was kept with its labels: those of stored images become images again. Labels of images that were
 * not stored are left out, and counted.
 */
export function readKeptDraft(kept: string): { text: string; images: readonly DraftImage[]; lost: number } {
  const images: DraftImage[] = [];
  let [text, at, lost] = ["", 0, 0];
  for (const { from, to, number, facts, attachment } of imageLabels(kept)) {
    text += kept.slice(at, from);
    at = to;
    if (attachment === undefined) lost += 1;
    else {
      images.push({ facts, source: { kind: "stored", attachment } });
      text += imageLabel({ facts }, number);
    }
  }
  return { text: text + kept.slice(at), images, lost };
}

/** Returns the last part of a name, as it can stand in a label. */
function plainName(name: string): string {
  const last = name.split(/[\\/]/).at(-1) ?? name;
  return shortened(neutraliseLine(last).replaceAll(/[[\]\n]/g, "_"), NAME_CHARACTERS_MAX);
}
