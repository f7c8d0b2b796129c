/** A file as a model can get it. */
export type FileForm =
  | { readonly kind: "image"; readonly mediaType: string }
  | { readonly kind: "pdf"; readonly mediaType: "application/pdf" }
  | { readonly kind: "text"; readonly mediaType: string; readonly text: string }
  | { readonly kind: "refused"; readonly why: string };

/** Bytes of a text file: a longer one would fill the window of a model. */
export const TEXT_BYTES_MAX = 262_144;

const MARKS: readonly { readonly mediaType: string; readonly at: readonly (readonly [number, string])[] }[] =
  [
    { mediaType: "image/png", at: [[0, "\x89PNG\r\n\x1a\n"]] },
    { mediaType: "image/jpeg", at: [[0, "\xff\xd8\xff"]] },
    { mediaType: "image/gif", at: [[0, "GIF87a"]] },
    { mediaType: "image/gif", at: [[0, "GIF89a"]] },
    {
      mediaType: "image/webp",
      at: [
        [0, "RIFF"],
        [8, "WEBP"],
      ],
    },
  ];

const PLAIN = "text/plain";
const TEXTUAL = /^(?:text\/[\w.+-]{1,100}|application\/(?:json|xml|yaml|toml|javascript|x-sh))$/;

/** Returns the form of a file by its bytes. What its sender calls it counts only for a text. */
export function formOf(bytes: Uint8Array, sent: string | undefined): FileForm {
  if (bytes.length === 0) return { kind: "refused", why: "it is empty" };
  const image = MARKS.find(({ at }) => at.every(([from, mark]) => stands(bytes, from, mark)));
  if (image !== undefined) return { kind: "image", mediaType: image.mediaType };
  const mediaType = (sent ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  if (mediaType.startsWith("image/"))
    return {
      kind: "refused",
      why: `it is sent as ${shownType(mediaType)}, and is not a PNG, JPEG, GIF or WebP`,
    };
  if (stands(bytes, 0, "%PDF-")) return { kind: "pdf", mediaType: "application/pdf" };
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

function stands(bytes: Uint8Array, from: number, mark: string): boolean {
  for (let at = 0; at < mark.length; at += 1) if (bytes[from + at] !== mark.charCodeAt(at)) return false;
  return true;
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
