import { HarnessError } from "../../../base/errors.ts";
import type { AttachmentId, SessionId } from "../../../base/ids.ts";
import type { SentBlock } from "../../../protocol/content.ts";
import type { SessionAccess } from "../layout/services.ts";
import type { DraftImage } from "./draft-image.ts";

interface Upload {
  readonly session: SessionId;
  readonly block: Promise<SentBlock | HarnessError>;
  /** Set once it is stored. */
  attachment?: AttachmentId;
}

/** Stores the images of drafts in their session, each once. */
export class ImageUploads {
  readonly #session: Pick<SessionAccess, "attach">;
  readonly #uploads = new WeakMap<DraftImage, Upload>();

  constructor(session: Pick<SessionAccess, "attach">) {
    this.#session = session;
  }

  /** Returns the attachment that has an image; undefined unless it is stored in this session. */
  attachmentOf(image: DraftImage, session: SessionId): AttachmentId | undefined {
    if (image.source.kind === "stored") return image.source.attachment;
    const upload = this.#uploads.get(image);
    return upload?.session === session ? upload.attachment : undefined;
  }

  /**
   * Returns the blocks of images in an input: a reference to each, or the image itself over a connection that carries
   * no files.
   * @throws HarnessError the engine's refusal of one.
   */
  async blocks(images: readonly DraftImage[], session: SessionId): Promise<readonly SentBlock[]> {
    const blocks: SentBlock[] = [];
    for (const image of images) {
      const block = await this.#block(image, session);
      if (block instanceof HarnessError) throw block;
      blocks.push(block);
    }
    return blocks;
  }

  /** Stores an image before it is sent, for a draft that is kept. A refusal changes nothing. */
  async keep(image: DraftImage, session: SessionId): Promise<void> {
    await this.#block(image, session);
  }

  async #block(image: DraftImage, session: SessionId): Promise<SentBlock | HarnessError> {
    const { source } = image;
    if (source.kind === "stored") return { type: "attachment", id: source.attachment };
    const known = this.#uploads.get(image);
    if (known?.session === session) return await known.block;
    const upload: Upload = { session, block: this.#store(source, session) };
    this.#uploads.set(image, upload);
    let isStored = false;
    try {
      const block = await upload.block;
      isStored = !(block instanceof HarnessError);
      if (!(block instanceof HarnessError) && block.type === "attachment") upload.attachment = block.id;
      return block;
    } finally {
      // The next try stores it again. Another session may have it by now.
      if (!isStored && this.#uploads.get(image) === upload) this.#uploads.delete(image);
    }
  }

  async #store(
    { bytes, mediaType, name }: Extract<DraftImage["source"], { kind: "bytes" }>,
    session: SessionId,
  ): Promise<SentBlock | HarnessError> {
    const stored = await this.#session.attach(session, { name, mediaType, bytes });
    if (stored instanceof HarnessError) return stored;
    if (stored !== undefined) return { type: "attachment", id: stored.attachment };
    const data = Buffer.from(bytes).toString("base64");
    return { type: "image", source: { type: "base64", media_type: mediaType, data } };
  }
}
