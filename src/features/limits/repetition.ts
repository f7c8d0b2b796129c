/** The longest cycle of calls that is recognised. */
const PERIOD_MAX = 3;

/** One call as far as repeating it goes: two that read the same did the same. */
export interface Mark {
  /** The tool and its arguments; of a call that succeeded its result too, since another result is progress. */
  readonly text: string;
  readonly failed: boolean;
  /** It took so long that the world may have gone on meanwhile. */
  readonly waited: boolean;
}

/** A cycle of calls at the end of what was called so far. */
export interface Repetition {
  /** How many calls it is made of. */
  readonly period: number;
  /** How often it was gone through, without a break. */
  readonly times: number;
  /** How many of these rounds went by without waiting. */
  readonly quick: number;
  /** Whether the newest round was one of them. */
  readonly isQuick: boolean;
  /** Whether one of its calls fails each time. */
  readonly fails: boolean;
  /** Whether the newest call was the last of the cycle. */
  readonly whole: boolean;
}

/** The cycle, of at most three calls, that has been gone through most often at the end of `marks`, and at least once. */
export function repetitionOf(marks: readonly Mark[]): Repetition {
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

/** Whether nothing waited in a round, the newest being 0. */
function isQuickRound(marks: readonly Mark[], period: number, back: number): boolean {
  const end = marks.length - back * period;
  return !marks.slice(end - period, end).some(({ waited }) => waited);
}

/** How many of the newest calls are looked at for cycles of up to `timesMax` rounds. */
export function marksNeeded(timesMax: number): number {
  return PERIOD_MAX * timesMax;
}
