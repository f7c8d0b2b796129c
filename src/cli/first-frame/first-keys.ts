/**
 * Wait after the first frame, in milliseconds, before work that takes the processor for a moment begins: the start of
 * an engine and of the process that restores the terminal of a killed client. The first keys are drawn before it.
 * After the first frame the runtime collects garbage for some 8 ms: a shorter wait would end within that.
 */
export const FIRST_KEYS_MS = 20;
