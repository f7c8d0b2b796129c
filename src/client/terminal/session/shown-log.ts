import type { CallId, EventSeq } from "../../../base/ids.ts";
import type { Envelope } from "../../../protocol/events/envelope.ts";
import type { SessionStep, SessionView } from "../../../view/session/session-view.ts";
import { NEW_SESSION, sessionStep } from "../../../view/session/session-view.ts";
import type { LocalNote } from "../../../view/transcript/local-notes.ts";
import { transcriptAfterEvent, withLocalNote } from "../../../view/transcript/local-notes.ts";
import type { TranscriptPage } from "../../../view/transcript/pages.ts";
import { withPage } from "../../../view/transcript/pages.ts";
import type { Transcript } from "../../../view/transcript/transcript.ts";
import {
  clearedTranscript,
  droppedFrom,
  NEW_TRANSCRIPT,
  transcriptWithCalls,
  withChildrenLeftOut,
} from "../../../view/transcript/transcript.ts";

/** Characters of the transcript that are kept in memory, about; the rest is read back when it is shown. */
const KEPT_CHARACTERS_MAX = 4_000_000;

/** The part of a session's log that was read: its view, and its transcript within a limit of memory. */
export class ShownLog {
  #view: SessionView = NEW_SESSION;
  #transcript: Transcript = NEW_TRANSCRIPT;
  /** The event at the top of the window; absent while the end is shown. */
  #shownAt: EventSeq | undefined;

  get view(): SessionView {
    return this.#view;
  }
  get transcript(): Transcript {
    return this.#transcript;
  }
  get shownAt(): EventSeq | undefined {
    return this.#shownAt;
  }

  /** Adds an event. Returns the views before and after it. */
  add(envelope: Envelope): SessionStep {
    const step = sessionStep(this.#view, envelope);
    this.#view = step.after;
    const { length } = this.#transcript.segments;
    this.#transcript = transcriptAfterEvent(this.#transcript, envelope);
    if (this.#transcript.segments.length > length)
      this.#dropFarFrom(this.#shownAt ?? this.#transcript.reached);
    return step;
  }

  /** Adds a note of this client to the transcript. */
  note(note: LocalNote): void {
    this.#transcript = withLocalNote(this.#transcript, note);
  }

  /** Leaves everything out of the transcript that was read so far. */
  clear(): void {
    this.#transcript = clearedTranscript(this.#transcript);
  }

  /** Changes the view by facts that none of the added events has. */
  complete(change: (view: SessionView) => SessionView): void {
    this.#view = change(this.#view);
  }

  /** Begins the transcript behind an event, with the calls that began before it and still matter. */
  beginBehind(event: EventSeq, calls: readonly Envelope[]): void {
    this.#transcript = transcriptWithCalls(event, calls);
  }

  /** Says how many items of a call's sub-agent are in the log, of which only the newest were read. */
  countChildren(call: CallId, children: number): void {
    this.#transcript = withChildrenLeftOut(this.#transcript, call, children);
  }

  /** Adds a page that was left out. */
  addPage(page: TranscriptPage): void {
    this.#transcript = withPage(this.#transcript, page);
    this.#dropFarFrom(page.first);
  }

  /** Takes the event at the top of the window: parts far from it are dropped first. */
  setViewport(event: EventSeq | undefined): void {
    this.#shownAt = event;
  }

  #dropFarFrom(event: EventSeq): void {
    this.#transcript = droppedFrom(this.#transcript, event, KEPT_CHARACTERS_MAX);
  }
}
