/** Facts that the first bytes of an image state. */
export interface ImageFacts {
  readonly mediaType: "image/png" | "image/jpeg" | "image/gif" | "image/webp";
  /** Pixels; absent if they are not found. */
  readonly size?: { readonly width: number; readonly height: number };
}

type Size = ImageFacts["size"];

const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const JPEG = [0xff, 0xd8, 0xff];
const GIF = [0x47, 0x49, 0x46, 0x38];
const RIFF = [0x52, 0x49, 0x46, 0x46];
const WEBP = [0x57, 0x45, 0x42, 0x50];
const WEBP_FORM_AT = 8;

/** Returns type and size of an image in a form that models take; undefined for any other file. */
export function imageFacts(bytes: Uint8Array): ImageFacts | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (begins(bytes, PNG)) return factsOf("image/png", pngSize(view));
  if (begins(bytes, JPEG)) return factsOf("image/jpeg", jpegSize(view));
  if (begins(bytes, GIF)) return factsOf("image/gif", gifSize(view));
  if (begins(bytes, RIFF) && begins(bytes.subarray(WEBP_FORM_AT), WEBP))
    return factsOf("image/webp", webpSize(view));
  return undefined;
}

function factsOf(mediaType: ImageFacts["mediaType"], size: Size): ImageFacts {
  return size === undefined ? { mediaType } : { mediaType, size };
}

function begins(bytes: Uint8Array, mark: readonly number[]): boolean {
  return mark.every((byte, at) => bytes[at] === byte);
}

function pngSize(view: DataView): Size {
  return view.byteLength < 24 ? undefined : { width: view.getUint32(16), height: view.getUint32(20) };
}

function gifSize(view: DataView): Size {
  return view.byteLength < 10
    ? undefined
    : { width: view.getUint16(6, true), height: view.getUint16(8, true) };
}

function webpSize(view: DataView): Size {
  if (view.byteLength < 30) return undefined;
  switch (view.getUint8(15)) {
    case 0x58: // "VP8X"
      return { width: 1 + threeBytes(view, 24), height: 1 + threeBytes(view, 27) };
    case 0x4c: {
      const bits = view.getUint32(21, true); // "VP8L"
      return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >> 14) & 0x3fff) };
    }
    default:
      return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
  }
}

function threeBytes(view: DataView, at: number): number {
  return view.getUint16(at, true) + (view.getUint8(at + 2) << 16);
}

/** Reads the segments of a JPEG up to the one that begins a frame: it has the size. */
function jpegSize(view: DataView): Size {
  for (let at = 2; at + 9 <= view.byteLength; ) {
    if (view.getUint8(at) !== 0xff) return undefined;
    const marker = view.getUint8(at + 1);
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    at += 2 + view.getUint16(at + 2);
  }
  return undefined;
}
