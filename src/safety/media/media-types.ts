/** Types of the images that models take. */
export const IMAGE_TYPES: ReadonlySet<string> = new Set([
  "image/png",
  "image/jpeg",
  "image/gif",
  "image/webp",
]);
/** Types of sounds that some model takes. */
export const AUDIO_TYPES: ReadonlySet<string> = new Set(
  ["wav", "x-wav", "wave", "mpeg", "mp3", "mp4", "ogg", "flac", "aac", "webm"].map((name) => `audio/${name}`),
);
/** Type of the documents that models take. */
export const PDF_TYPE = "application/pdf";

/** First bytes of a form, each at its place: one character is one byte. */
type Marks = readonly (readonly [number, string])[];

interface MarkedForm {
  readonly types: readonly string[];
  readonly marks: readonly Marks[];
}

const FORMS: readonly MarkedForm[] = [
  { types: ["image/png"], marks: [[[0, "\x89PNG\r\n\x1a\n"]]] },
  { types: ["image/jpeg"], marks: [[[0, "\xff\xd8\xff"]]] },
  { types: ["image/gif"], marks: [[[0, "GIF87a"]], [[0, "GIF89a"]]] },
  {
    types: ["image/webp"],
    marks: [
      [
        [0, "RIFF"],
        [8, "WEBP"],
      ],
    ],
  },
  { types: [PDF_TYPE], marks: [[[0, "%PDF-"]]] },
  {
    types: ["audio/wav", "audio/x-wav", "audio/wave"],
    marks: [
      [
        [0, "RIFF"],
        [8, "WAVE"],
      ],
    ],
  },
  {
    types: ["audio/mpeg", "audio/mp3"],
    marks: [[[0, "ID3"]], [[0, "\xff\xfb"]], [[0, "\xff\xfa"]], [[0, "\xff\xf3"]], [[0, "\xff\xf2"]]],
  },
  { types: ["audio/mp4"], marks: [[[4, "ftyp"]]] },
  { types: ["audio/ogg"], marks: [[[0, "OggS"]]] },
  { types: ["audio/flac"], marks: [[[0, "fLaC"]]] },
  { types: ["audio/aac"], marks: [[[0, "\xff\xf1"]], [[0, "\xff\xf9"]], [[0, "ADIF"]]] },
  { types: ["audio/webm"], marks: [[[0, "\x1a\x45\xdf\xa3"]]] },
];

/** Bytes that `mediaTypesOf` looks at. */
export const MARK_BYTES = 12;

/** Returns the media types that the first bytes of a file stand for; empty if they are of no form that models take. */
export function mediaTypesOf(bytes: Uint8Array): readonly string[] {
  const form = FORMS.find(({ marks }) =>
    marks.some((all) => all.every(([at, mark]) => stands(bytes, at, mark))),
  );
  return form?.types ?? [];
}

function stands(bytes: Uint8Array, from: number, mark: string): boolean {
  for (let at = 0; at < mark.length; at += 1) if (bytes[from + at] !== mark.charCodeAt(at)) return false;
  return true;
}
