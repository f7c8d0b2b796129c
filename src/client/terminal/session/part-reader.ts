import type { EventSeq, SessionId } from "../../../base/ids.ts";
import type { Connection } from "../../../protocol/connection.ts";
import { readTranscriptPage } from "../../../view/paging/read-transcript-page.ts";
import type { PagePosition, TranscriptPage, TranscriptRange } from "../../../view/transcript/pages.ts";
import type { ShownLog } from "./shown-log.ts";

export interface PartReaderOptions {
  readonly session: SessionId;
  readonly log: ShownLog;
  readonly connection: () => Promise<Pick<Connection, "subscribe">>;
  /** Aborts once the session is not shown any more. */
  readonly signal: AbortSignal;
  /** Called once a part is back in the transcript. */
  readonly completed: () => void;
  /** Called if a part cannot be read. */
  readonly refused: (failure: unknown) => void;
}

/** Reads parts of a log that its transcript leaves out. Each part is read once at a time. */
export class PartReader {
  readonly #options: PartReaderOptions;
  /** The first events of the parts that are being read back, and of those that could not be. */
  readonly #reading = new Set<EventSeq>();
  readonly #unreadable = new Set<EventSeq>();

  constructor(options: PartReaderOptions) {
    this.#options = options;
  }

  /** Lets parts that could not be read be tried again. */
  retry(): void {
    this.#unreadable.clear();
  }

  /**
   * Reads the page at a place of a part back into the transcript. A failure is reported; the part is not read again
   * until `retry`.
   * @param first the first event of the part.
   */
  async readBack(first: EventSeq, place: PagePosition): Promise<void> {
    const { log, signal, completed, refused } = this.#options;
    const part = log.transcript.segments.find((each) => each.first === first && each.items === undefined);
    if (part === undefined || this.#reading.has(first) || this.#unreadable.has(first)) return;
    this.#reading.add(first);
    try {
      const page = await this.#read(part, place);
      if (signal.aborted) return;
      log.addPage(page);
      completed();
    } catch (thrown) {
      if (signal.aborted) return;
      this.#unreadable.add(first);
      refused(thrown);
    } finally {
      this.#reading.delete(first);
    }
  }

  /**
   * Returns the page at a place of a part, and leaves the transcript as it is. Undefined: the session is not shown any
   * more.
   * @throws HarnessError if the engine refuses; the error that broke the subscription.
   */
  async pageOf(part: TranscriptRange, place: PagePosition): Promise<TranscriptPage | undefined> {
    const { signal } = this.#options;
    try {
      const page = await this.#read(part, place);
      return signal.aborted ? undefined : page;
    } catch (thrown) {
      if (signal.aborted) return undefined;
      throw thrown;
    }
  }

  async #read(segment: TranscriptRange, place: PagePosition): Promise<TranscriptPage> {
    const { session, log, connection, signal } = this.#options;
    const { reached } = log.transcript;
    return await readTranscriptPage(await connection(), { session, segment, place, reached, signal });
  }
}
