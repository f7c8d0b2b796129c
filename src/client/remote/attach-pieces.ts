import { defined } from "../../base/defined.ts";
import type { SessionId } from "../../base/ids.ts";
import type { AttachedFile, AttachmentInfo } from "../../protocol/content.ts";

/** Bytes of a piece. The next one is sent when the engine has answered the one before. */
export const UPLOAD_PIECE_BYTES = 524_288;
/** Bytes that are turned into characters at a time: a call takes a limited number of arguments. */
const SLICE_BYTES = 8_192;

/**
 * Sends a file in pieces over a socket (CTL-19). After a refusal the engine has dropped what came before.
 * @throws HarnessError the refusal.
 */
export async function attachPieces(
  sessionId: SessionId,
  { name, mediaType, bytes }: AttachedFile,
  ask: (frame: string, body: object) => Promise<unknown>,
): Promise<AttachmentInfo> {
  let answer = await ask("attach", { sessionId, name, bytes: bytes.length, ...defined({ mediaType }) });
  for (let at = 0; at < bytes.length; at += UPLOAD_PIECE_BYTES)
    answer = await ask("attach-piece", { data: base64(bytes.subarray(at, at + UPLOAD_PIECE_BYTES)) });
  return answer as AttachmentInfo; // the answer to the last piece
}

function base64(bytes: Uint8Array): string {
  let characters = "";
  for (let at = 0; at < bytes.length; at += SLICE_BYTES)
    characters += String.fromCharCode(...bytes.subarray(at, at + SLICE_BYTES));
  return btoa(characters);
}
