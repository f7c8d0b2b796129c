import { HarnessError } from "../../base/errors.ts";
import type { UploadHold } from "../../session/engine-port.ts";

/** Bytes of files that all clients of one engine are uploading at a time. */
export const UPLOADS_BYTES_MAX = 67_108_864;

/**
 * Counts the memory of files that arrive over any transport, until they are stored (PERF-03). Pieces count as they
 * come, so that a client which only announces a large file takes no room from others.
 */
export class UploadMemory {
  #heldBytes = 0;

  /** Returns room for one file: empty at first, freed when it is disposed. */
  hold(): UploadHold {
    let ownBytes = 0;
    let isOver = false;
    return {
      add: (bytes) => {
        if (this.#heldBytes + bytes > UPLOADS_BYTES_MAX)
          throw new HarnessError("UploadsBusy", {
            held: `${this.#heldBytes}`,
            bytes: `${bytes}`,
            limit: `${UPLOADS_BYTES_MAX}`,
          });
        ownBytes += bytes;
        this.#heldBytes += bytes;
      },
      [Symbol.dispose]: () => {
        if (isOver) return;
        isOver = true;
        this.#heldBytes -= ownBytes;
      },
    };
  }
}
