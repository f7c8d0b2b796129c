/**
 * Variable that marks every process of one call, so that processes that leave its group are found, also by a later run.
 *
 * Its value is the call id, a dot and the id of the engine's process, since replayed and tested calls reuse call ids.
 */
export const CALL_MARK = "CINCH_CALL";
