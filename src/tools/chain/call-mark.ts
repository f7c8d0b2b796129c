/**
 * The variable that marks every process of one call, so that those that leave its group are found, also by a later run.
 *
 * Its value is the call's id, a dot and the id of the engine's process: replayed and tested calls have the ids that others
 * had.
 */
export const CALL_MARK = "CINCH_CALL";
