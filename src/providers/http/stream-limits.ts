/**
 * How long each phase of an answer may last (ENG-22, R07). The phases have limits of their own, since a healthy
 * answer is long, and a dead connection is silent.
 */
export interface StreamLimits {
  /** From the call until the status line: name look-up, connection, TLS, and the provider's queue. */
  readonly headersMsMax: number;
  /** From the status line until the first byte of the answer. */
  readonly firstByteMsMax: number;
  /** Between two signs of life in the answer; a provider's ping counts. */
  readonly silenceMsMax: number;
  /** The whole answer, so that one that only pings ends too. */
  readonly answerMsMax: number;
  readonly answerBytesMax: number;
  /** How long the end of an answer that has told its finish is waited for, to keep the connection. */
  readonly drainMsMax: number;
}

export const STREAM_LIMITS: StreamLimits = {
  headersMsMax: 60_000,
  firstByteMsMax: 60_000,
  silenceMsMax: 120_000,
  answerMsMax: 30 * 60_000,
  answerBytesMax: 64 * 1_048_576,
  drainMsMax: 250,
};

/**
 * Limits for a server of the user's own: a model may have to be loaded first, and a long prompt read, before a small
 * machine sends its first byte.
 */
export const OWN_SERVER_LIMITS: Partial<StreamLimits> = {
  headersMsMax: 600_000,
  firstByteMsMax: 600_000,
  silenceMsMax: 300_000,
};
