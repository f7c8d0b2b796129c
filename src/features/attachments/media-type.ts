import { IMAGE_TYPES, mediaTypesOf, PDF_TYPE } from "../../safety/media/media-types.ts";

/** A file as a model can get it. */
export type FileForm =
  | { readonly kind: "image"; readonly mediaType: string }
  | { readonly kind: "pdf"; readonly mediaType: typeof PDF_TYPE }
  | { readonly kind: "text"; readonly mediaType: string; readonly text: string }
  | { readonly kind: "refused"; readonly why: string };

/** Bytes of a text file: a longer one would fill the window of a model. */
export const TEXT_BYTES_MAX = 262_144;

const PLAIN = "text/plain";
const TEXTUAL = /^(?:text\/[\w.+-]{1,100}|application\/(?:json|xml|yaml|toml|javascript|x-sh))$/;

/** Returns the form of a file by its bytes. What its sender calls it counts only for a text. */
export function formOf(bytes: Uint8Array, sent: string | undefined): FileForm {
  if (bytes.length === 0) return { kind: "refused", why: "it is empty" };
  const [known = ""] = mediaTypesOf(bytes);
  if (IMAGE_TYPES.has(known)) return { kind: "image", mediaType: known };
  const mediaType = (sent ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  if (mediaType.startsWith("image/"))
    return {
      kind: "refused",
      why: `it is sent as ${shownType(mediaType)}, and is not a PNG, JPEG, GIF or WebP`,
    };
  if (known === PDF_TYPE) return { kind: "pdf", mediaType: PDF_TYPE };
  const text = textOf(bytes);
  if (text === undefined)
    return {
      kind: "refused",
      why: "it is neither an image (PNG, JPEG, GIF, WebP), nor a PDF, nor a text in UTF-8",
    };
  if (bytes.length > TEXT_BYTES_MAX)
    return {
      kind: "refused",
      why: `a text may have ${TEXT_BYTES_MAX} bytes; put the file into the working directory and name it`,
    };
  return { kind: "text", mediaType: TEXTUAL.test(mediaType) ? mediaType : PLAIN, text };
}

function shownType(mediaType: string): string {
  return /^[\w.+/-]{1,100}$/.test(mediaType) ? mediaType : "an image";
}

function textOf(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (thrown) {
    if (!(thrown instanceof TypeError)) throw thrown;
    return undefined;
  }
}
