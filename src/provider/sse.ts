/** One event of a `text/event-stream`: its name ("message" where none was given) and its data lines joined by LF. */
export interface ServerSentEvent {
  readonly event: string;
  readonly data: string;
}
