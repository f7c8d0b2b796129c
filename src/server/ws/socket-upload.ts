import { HarnessError } from "../../base/errors.ts";
import type { SessionId } from "../../base/ids.ts";
import type { JsonObject } from "../../base/json.ts";
import { stringAt } from "../../base/json.ts";
import type { Clock } from "../../base/world.ts";
import { ATTACHMENT_BYTES_MAX } from "../../protocol/commands/run-limits.ts";
import type { AttachmentInfo } from "../../protocol/content.ts";
import type { ServedConnection, UploadHold } from "../../session/engine-port.ts";
import { sessionIdIn } from "../hub/follow-request.ts";

/** Bytes of one piece of an uploaded file. */
export const UPLOAD_PIECE_BYTES_MAX = 1_048_576;
/** Pieces of one file: small ones would take more memory than is counted for them. */
export const UPLOAD_PIECES_MAX = 1_024;
/** Time limit for the next piece; after it the upload is dropped, and its memory is free. */
export const UPLOAD_PIECE_MS_MAX = 30_000;

const BASE64_BYTES = 3;
const BASE64_CHARACTERS = 4;
const DATA_CHARACTERS_MAX = Math.ceil(UPLOAD_PIECE_BYTES_MAX / BASE64_BYTES) * BASE64_CHARACTERS;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

interface OpenUpload {
  readonly session: SessionId;
  readonly name: string;
  readonly mediaType: string | undefined;
  readonly bytes: number;
  readonly pieces: Uint8Array[];
  readonly hold: UploadHold;
  receivedBytes: number;
}

/** The file that a client uploads over its socket: one at a time, in pieces that are answered one by one (CTL-19). */
export class SocketUpload implements Disposable {
  readonly #clock: Pick<Clock, "timer">;
  #open: OpenUpload | undefined;
  #limit: Disposable | undefined;

  constructor(clock: Pick<Clock, "timer">) {
    this.#clock = clock;
  }

  /** Begins an upload. @throws HarnessError InvalidFrame, InvalidSessionID, AttachmentRefused. */
  begin(body: JsonObject, connection: Pick<ServedConnection, "holdUpload">): void {
    if (this.#open !== undefined)
      throw invalid("this socket uploads a file already; send the rest of it, or attach-stop, first");
    const { bytes } = body;
    if (typeof bytes !== "number" || !Number.isSafeInteger(bytes) || bytes < 1)
      throw invalid("bytes: it takes the length of the file, a whole number above 0");
    const name = stringAt(body, "name") ?? "";
    if (bytes > ATTACHMENT_BYTES_MAX)
      throw new HarnessError("BodyTooLarge", { limit: `${ATTACHMENT_BYTES_MAX}` });
    const session = sessionIdIn(stringAt(body, "sessionId") ?? "");
    const mediaType = stringAt(body, "mediaType");
    const hold = connection.holdUpload();
    this.#open = { session, name, mediaType, bytes, pieces: [], hold, receivedBytes: 0 };
    this.#awaitNext();
  }

  /**
   * Takes the next piece. Returns what has come so far or, with the last one, the stored file.
   * @throws HarnessError, and the upload is over.
   */
  async add(
    { data }: JsonObject,
    connection: Pick<ServedConnection, "attach">,
  ): Promise<AttachmentInfo | { readonly received: number }> {
    const upload = this.#open;
    if (upload === undefined)
      throw invalid("no upload is open here: it was stopped, or its next piece did not come in time");
    try {
      const piece = pieceOf(data);
      if (upload.receivedBytes + piece.length > upload.bytes)
        throw invalid(`data: the file has more than the ${upload.bytes} bytes that were announced`);
      if (upload.pieces.length === UPLOAD_PIECES_MAX)
        throw invalid(`data: a file comes in at most ${UPLOAD_PIECES_MAX} pieces; send larger ones`);
      upload.hold.add(piece.length);
      upload.pieces.push(piece);
      upload.receivedBytes += piece.length;
      if (upload.receivedBytes < upload.bytes) {
        this.#awaitNext();
        return { received: upload.receivedBytes };
      }
    } catch (thrown) {
      this.stop();
      throw thrown;
    }
    // The next one may begin; the memory of this one is held until it is stored.
    this.#forget();
    using _hold = upload.hold;
    const { session, name, mediaType, pieces } = upload;
    const file = { name, bytes: Buffer.concat(pieces), ...(mediaType === undefined ? {} : { mediaType }) };
    return await connection.attach(session, file);
  }

  /** Drops the upload, if one is open. */
  stop(): void {
    this.#open?.hold[Symbol.dispose]();
    this.#forget();
  }

  [Symbol.dispose](): void {
    this.stop();
  }

  #forget(): void {
    this.#open = undefined;
    this.#limit?.[Symbol.dispose]();
  }

  #awaitNext(): void {
    this.#limit?.[Symbol.dispose]();
    this.#limit = this.#clock.timer(UPLOAD_PIECE_MS_MAX, () => this.stop());
  }
}

function pieceOf(data: unknown): Uint8Array {
  if (typeof data !== "string" || data === "" || !BASE64.test(data) || data.length % BASE64_CHARACTERS !== 0)
    throw invalid("data: it takes bytes as base64");
  if (data.length > DATA_CHARACTERS_MAX)
    throw invalid(`data: a piece has at most ${UPLOAD_PIECE_BYTES_MAX} bytes`);
  return Buffer.from(data, "base64");
}

function invalid(why: string): HarnessError<"InvalidFrame"> {
  return new HarnessError("InvalidFrame", { why });
}
