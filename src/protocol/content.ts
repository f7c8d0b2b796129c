import * as z from "zod";
import { UNSAVED_CHARACTERS_MAX, UNSAVED_PATH_CHARACTERS_MAX } from "./commands/run-limits.ts";
import { AttachmentIdSchema, CallIdSchema } from "./ids.ts";

/**
 * Content blocks: flat and Anthropic-shaped, with that API's key names.
 *
 * `read.ts` also accepts the nested and the typeless form of older clients.
 */

/** Text. */
export const TextBlock = z.object({
  type: z.literal("text"),
  /** The text. */
  text: z.string(),
});

/** The bytes of an image, audio or document. */
export const MediaSource = z.object({
  type: z.literal("base64"),
  /** Media type, such as `image/png`. */
  media_type: z.string(),
  /** The bytes in base64. */
  data: z.base64(),
});

/** An image. */
export const ImageBlock = z.object({ type: z.literal("image"), source: MediaSource });
/** A sound. */
export const AudioBlock = z.object({ type: z.literal("audio"), source: MediaSource });
/** A PDF of the user; its `media_type` is `application/pdf`. Since protocol 0.3.0. */
export const DocumentBlock = z.object({ type: z.literal("document"), source: MediaSource });

/**
 * Reasoning of a model, opaque and stamped with the family that made it: sent back verbatim to the same family, left
 * out for any other. `text` is the part that may be shown.
 */
export const ThinkingBlock = z.object({
  type: z.literal("thinking"),
  /** Family of models that made it. */
  family: z.string(),
  /** The part that may be shown. */
  text: z.string(),
  /** The reasoning as the provider sent it. */
  data: z.unknown(),
});

/**
 * One piece of a model's thinking, for people to read. Pieces of a block are in order, and each text is sent once.
 * `family` is absent if the content has expired. Provider data (signatures, encrypted reasoning) stays in the engine.
 */
export const ThinkingPiece = z.object({
  type: z.literal("thinking"),
  /** Family of models that made it. Absent if the content has expired. */
  family: z.string().optional(),
  /** The piece of text. */
  text: z.string(),
});

/** A block type unknown to this version, kept as it came and sent back only to the family that made it. */
export const OpaqueBlock = z.object({
  type: z.literal("opaque"),
  /** Family of models that made it. */
  family: z.string(),
  /** The block as it came. */
  data: z.unknown(),
});

/** A call of a tool by the model. */
export const ToolUseBlock = z.object({
  type: z.literal("tool_use"),
  id: CallIdSchema,
  /** Name of the tool. */
  name: z.string(),
  /** Arguments of the call. */
  input: z.unknown(),
});

export const ResultContent = z.discriminatedUnion("type", [TextBlock, ImageBlock, AudioBlock]);

/** The result of a call. */
export const ToolResultBlock = z.object({
  type: z.literal("tool_result"),
  /** The call. */
  tool_use_id: CallIdSchema,
  /** Content for the model. */
  content: z.array(ResultContent),
  /** True if the call failed. */
  is_error: z.boolean().optional(),
});

/** An explicit end of the turn, from a provider that supports it. */
export const YieldBlock = z.object({
  type: z.literal("yield"),
  /** Reason of the model for ending the turn. */
  reason: z.string().optional(),
});

export const InputBlock = z.discriminatedUnion("type", [TextBlock, ImageBlock, AudioBlock, DocumentBlock]);

/** A file that was uploaded to the session before: an image, text, or a PDF. Since protocol 0.3.0. */
export const AttachmentBlock = z.object({ type: z.literal("attachment"), id: AttachmentIdSchema });

/**
 * Text that the editor of a person has of a file. It goes to the model, fenced, if that may read the file without a
 * question; else it is left out, and a notice says so. Of one input at most 32, and 262,144 characters in all. Since
 * protocol 0.3.0.
 */
export const UnsavedBlock = z.object({
  type: z.literal("unsaved"),
  /** Path of the file, as the editor knows it. */
  path: z.string().min(1).max(UNSAVED_PATH_CHARACTERS_MAX),
  /** The text in the editor. */
  text: z.string().max(UNSAVED_CHARACTERS_MAX),
  /** True if the person attached it: it may be the saved text. Default: the disk has another text. */
  attached: z.boolean().optional(),
  /** Lines of the file that it is, from 1. Default: all. */
  lines: z
    .object({
      /** First line. */
      first: z.int().min(1),
      /** Last line; it is included. */
      last: z.int().min(1),
    })
    .optional(),
});

/** A block of an input as a client sends it. The engine puts the content of a file in its place. */
export const SentBlock = z.discriminatedUnion("type", [
  TextBlock,
  ImageBlock,
  AudioBlock,
  DocumentBlock,
  AttachmentBlock,
  UnsavedBlock,
]);

export const ContentBlock = z.discriminatedUnion("type", [
  TextBlock,
  ImageBlock,
  AudioBlock,
  DocumentBlock,
  ThinkingBlock,
  OpaqueBlock,
  ToolUseBlock,
  ToolResultBlock,
  YieldBlock,
]);

export type TextBlock = z.infer<typeof TextBlock>;
export type ImageBlock = z.infer<typeof ImageBlock>;
export type AudioBlock = z.infer<typeof AudioBlock>;
export type DocumentBlock = z.infer<typeof DocumentBlock>;
export type ThinkingBlock = z.infer<typeof ThinkingBlock>;
export type ThinkingPiece = z.infer<typeof ThinkingPiece>;
export type OpaqueBlock = z.infer<typeof OpaqueBlock>;
export type ToolUseBlock = z.infer<typeof ToolUseBlock>;
export type ToolResultBlock = z.infer<typeof ToolResultBlock>;
export type YieldBlock = z.infer<typeof YieldBlock>;
export type ResultContent = z.infer<typeof ResultContent>;
export type InputBlock = z.infer<typeof InputBlock>;
export type UnsavedBlock = z.infer<typeof UnsavedBlock>;
export type SentBlock = z.infer<typeof SentBlock>;
export type ContentBlock = z.infer<typeof ContentBlock>;

/** A file that a session keeps for its inputs. Since protocol 0.3.0. */
export const AttachmentInfo = z.object({
  attachment: AttachmentIdSchema,
  /** The name alone, without folders. */
  name: z.string(),
  /** From the bytes of the file, whatever the upload said. */
  media_type: z.string(),
  /** Size of the file. */
  bytes: z.int().min(0),
});
export type AttachmentInfo = z.infer<typeof AttachmentInfo>;

/** A file to attach. */
export interface AttachedFile {
  readonly name: string;
  /** The media type that its sender gives. */
  readonly mediaType?: string;
  readonly bytes: Uint8Array;
}
