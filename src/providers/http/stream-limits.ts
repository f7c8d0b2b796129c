/**
 * Time limits for each phase of an answer (ENG-22, R07). Phases have separate limits, since a healthy answer is long
 * and a dead connection is silent.
 */
export interface StreamLimits {
  /** From the call to the status line: DNS, connection, TLS, and the provider's queue. */
  readonly headersMsMax: number;
  /** From the status line to the first byte of the answer. */
  readonly firstByteMsMax: number;
  /** Between two signs of life in the answer; a provider's ping counts. */
  readonly silenceMsMax: number;
  /** The whole answer, so that one that only pings ends too. */
  readonly answerMsMax: number;
  readonly answerBytesMax: number;
  /** Wait for the end of the body after the finish event, to reuse the connection. */
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
 * Limits for a server of the user: a small machine may have to load a model and read a long prompt before its
 * first byte.
 */
export const OWN_SERVER_LIMITS: Partial<StreamLimits> = {
  headersMsMax: 600_000,
  firstByteMsMax: 600_000,
  silenceMsMax: 300_000,
};
