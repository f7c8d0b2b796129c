import type { OpenCalls } from "../../../view/session/calls/open-calls.ts";
import { isShellCall } from "../../../view/session/calls/open-calls.ts";
import { neutraliseLine } from "../../../view/terminal/terminal-text.ts";

/** Tools that are named; others are counted. */
const NAMED_MAX = 2;

/** Work of the session that a person waits for. */
export interface RunningWork {
  /** Number of the turn. */
  readonly turn: number;
  /** Names of the tools that run, or of a part of the engine. */
  readonly what: string;
}

/** Returns the words for the work of a running turn: the tools that run now, else the model. */
export function workOf(turn: number, calls: OpenCalls, isCompacting: boolean): RunningWork {
  if (isCompacting) return { turn, what: "writing a summary" };
  const running = [...calls.values()].filter((call) => call.parentCall === undefined && !isShellCall(call));
  const tools = [...new Set(running.map(({ tool }) => neutraliseLine(tool)))];
  if (tools.length === 0) return { turn, what: "model" };
  const others = tools.length - NAMED_MAX;
  return {
    turn,
    what: [...tools.slice(0, NAMED_MAX), ...(others > 0 ? [`${others} more`] : [])].join(", "),
  };
}

/** Returns the prompt during a turn, which shows that it is alive: `1m 5s Bash > `. */
export function workPrompt({ what }: RunningWork, elapsedMs: number): string {
  const seconds = Math.floor(elapsedMs / 1_000);
  const [minutes, hours] = [Math.floor(seconds / 60), Math.floor(seconds / 3_600)];
  const time =
    hours > 0 ? `${hours}h ${minutes % 60}m` : minutes > 0 ? `${minutes}m ${seconds % 60}s` : `${seconds}s`;
  return `${time} ${what} > `;
}
