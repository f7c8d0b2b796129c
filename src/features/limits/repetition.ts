/** Limit for the length of a recognised cycle of calls. */
const PERIOD_MAX = 3;

/** One call, reduced to what counts for repetition: two equal marks did the same. */
export interface CallMark {
  /** The tool and its arguments; for a successful call also its result, since another result is progress. */
  readonly text: string;
  readonly failed: boolean;
  /** True if it took so long that the world may have changed meanwhile. */
  readonly waited: boolean;
}

/** A cycle of calls at the end of the calls so far. */
export interface Repetition {
  /** Count of calls in the cycle. */
  readonly period: number;
  /** Count of uninterrupted rounds. */
  readonly times: number;
  /** Count of these rounds without waiting. */
  readonly quick: number;
  /** True if the newest round was one of them. */
  readonly isQuick: boolean;
  /** True if one of its calls fails each time. */
  readonly fails: boolean;
  /** True if the newest call was the last of the cycle. */
  readonly whole: boolean;
}

/** Returns the cycle, of at most three calls, with the most rounds at the end of `marks`, and at least one. */
export function findRepetition(marks: readonly CallMark[]): Repetition {
  let most: Repetition = { period: 1, times: 0, quick: 0, isQuick: false, fails: false, whole: false };
  for (let period = 1; period <= PERIOD_MAX && period <= marks.length; period++) {
    let same = period;
    while (same < marks.length && marks.at(-1 - same)?.text === marks.at(-1 - same + period)?.text) same += 1;
    const times = Math.floor(same / period);
    if (times <= most.times) continue;
    const fails = marks.slice(-period).some(({ failed }) => failed);
    const rounds = Array.from({ length: times }, (_, back) => isQuickRound(marks, period, back));
    const quick = rounds.filter((isQuick) => isQuick).length;
    most = { period, times, quick, isQuick: rounds[0] === true, fails, whole: same % period === 0 };
  }
  return most;
}

/** Returns true if nothing waited in a round; `back` 0 is the newest. */
function isQuickRound(marks: readonly CallMark[], period: number, back: number): boolean {
  const end = marks.length - back * period;
  return !marks.slice(end - period, end).some(({ waited }) => waited);
}

/** Returns the count of newest calls to check for cycles of up to `timesMax` rounds. */
export function marksNeeded(timesMax: number): number {
  return PERIOD_MAX * timesMax;
}
