import { HarnessError } from "../../base/errors.ts";
import type { CallId } from "../../base/ids.ts";
import { canonicalJson } from "../../base/json.ts";
import { count, shortened } from "../../base/text/text.ts";
import type { RequestMiddleware } from "../../providers/middleware.ts";
import { lateStream } from "../../providers/middleware.ts";
import type { ToolCall, ToolMiddleware } from "../../tools/middleware.ts";
import type { ToolOutput } from "../../tools/tool.ts";
import type { CallMark } from "./repetition.ts";
import { findRepetition, marksNeeded } from "./repetition.ts";

/**
 * Duration from which a call counts as waiting: its result may be about another time than that of the previous call.
 */
const WAITING_MS = 2_000;

const CALL_CHARACTERS_MAX = 200;

export interface ProgressLimits {
  readonly failuresMax: number;
  readonly resultsMax: number;
}

export interface ProgressGuard {
  /** Observes each call, outside all other middleware. */
  readonly tool: ToolMiddleware;
  /** Refuses the next request of a turn without progress. */
  readonly request: RequestMiddleware;
}

/** Calls of one agent in a turn: the session's own, or a sub-agent. */
interface Strand {
  marks: readonly CallMark[];
  stuck: HarnessError | undefined;
}

/**
 * Ends a turn in which the model makes no progress (ENG-27). Either the same call fails repeatedly, alone or in a
 * cycle of two or three calls, or calls succeed repeatedly with the same result.
 *
 * Half-way to the limit the result tells the model so. A call whose result changes is progress, and so is time that
 * passes in a call: one that waits and finds nothing new may be repeated until the turn's other limits end it. One
 * that waits and fails has as many attempts as one that finds the same. Input from a person meanwhile resets the
 * count. Only calls of one turn are compared.
 */
export function progressGuard({ failuresMax, resultsMax }: ProgressLimits): ProgressGuard {
  let turn = 0;
  /** By the call that a sub-agent answers: repetitions of one agent do not count for another. */
  const strands = new Map<CallId | undefined, Strand>();

  function begin(now: number, parentCall: CallId | undefined): Strand {
    if (now !== turn) strands.clear();
    turn = now;
    const strand = strands.get(parentCall) ?? { marks: [], stuck: undefined };
    strands.set(parentCall, strand);
    return strand;
  }

  /** Returns the warning for the model, if half of the limit is reached. */
  function follow(strand: Strand, call: ToolCall, output: ToolOutput, waited: boolean): string | undefined {
    strand.marks = [...strand.marks, { ...markOf(call, output), waited }].slice(
      -marksNeeded(Math.max(failuresMax, resultsMax)),
    );
    const { period, times, quick, isQuick, fails, whole } = findRepetition(strand.marks);
    const what = whatRepeats(period, fails);
    const counted = [
      { rounds: quick, roundsMax: fails ? failuresMax : resultsMax, isNew: isQuick },
      ...(fails ? [{ rounds: times, roundsMax: resultsMax, isNew: true }] : []),
    ];
    if (counted.some(({ rounds, roundsMax }) => rounds >= roundsMax)) {
      strand.stuck = new HarnessError("NoProgress", { what, call: nameOf(call), times: String(times) });
    }
    const half = counted.find(({ rounds, roundsMax, isNew }) => isNew && rounds === Math.ceil(roundsMax / 2));
    if (!whole || half === undefined) return undefined;
    const waits = fails ? "" : "; to wait for something, wait in the call itself";
    return `${what} ${count(times, "time")} in a row. Repeating it will not help: find out why, try something else, or ask the user${waits}. After ${half.roundsMax} times the turn is ended.`;
  }

  return {
    async tool(call, context, next) {
      if (context.byUser === true) return await next(call, context);
      const strand = begin(context.turn, context.within?.parentCall);
      const { clock } = context.world;
      const startMs = clock.monotonic();
      const output = await next(call, context);
      const note = follow(strand, call, output, clock.monotonic() - startMs >= WAITING_MS);
      if (note === undefined) return output;
      return { ...output, content: [...output.content, { type: "text", text: note }] };
    },
    request(request, context, next) {
      const strand = begin(context.turn, context.parentCall);
      const isSpokenTo = request.messages.at(-1)?.content.some(({ type }) => type === "text") ?? false;
      if (isSpokenTo) {
        strand.marks = [];
        strand.stuck = undefined;
      }
      const { stuck } = strand;
      if (stuck === undefined || context.purpose !== undefined) return next(request, context);
      return lateStream(() => Promise.reject(stuck));
    },
  };
}

function markOf(call: ToolCall, output: ToolOutput): Omit<CallMark, "waited"> {
  const failed = output.isError ?? false;
  const outcome = failed ? "failed" : JSON.stringify(output.content);
  const hash = new Bun.CryptoHasher("sha256").update(canonicalJson(call.input ?? call.malformed ?? null));
  return { text: `${call.name} ${hash.update(outcome).digest("hex")}`, failed };
}

function whatRepeats(period: number, fails: boolean): string {
  if (period === 1) return fails ? "the same call failed" : "the same call had the same result";
  return fails
    ? `the same ${period} calls were made, with the same failure,`
    : `the same ${period} calls had the same results`;
}

function nameOf(call: ToolCall): string {
  return shortened(`${call.name} ${canonicalJson(call.input)}`, CALL_CHARACTERS_MAX);
}
