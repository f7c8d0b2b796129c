import type { CallId } from "../base/ids.ts";

/**
 * Runs a sub-agent with a fresh history inside the parent's environment and resolves to its last text (ENG-10).
 *
 * Its events go to the parent's bus with `parentCall`. An error or a cancel of the child resolves to an empty text;
 * cancelling the parent cancels the child, never the other way round.
 */
export type SpawnAgent = (request: SpawnRequest) => Promise<string>;

export interface SpawnRequest {
  readonly parentCall: CallId;
  readonly systemHint: string;
  readonly prompt: string;
  readonly roundsMax: number;
  readonly signal: AbortSignal;
}
