import { HarnessError } from "../../base/errors.ts";
import { canonicalJson } from "../../base/json.ts";
import { byteLength, count } from "../../base/text/text.ts";
import type { World } from "../../base/world.ts";
import type { Message } from "../../protocol/message.ts";
import { CANONICAL_FORM_VERSION } from "../../protocol/version.ts";
import { redactor } from "../../safety/redact.ts";
import type { ModelEvent, ModelRequest, Provider } from "../provider.ts";
import type { Cassette } from "./cassette.ts";
import { describeDifference } from "./difference.ts";
import { redactMessages } from "./redact.ts";
import type { Ids, RunValues } from "./variables.ts";
import { Variables } from "./variables.ts";

/** The longest recorded pause that is kept in paced playback. */
export const PAUSE_MS_MAX = 800;

const WORD_MS = 15;
/** A longer text is played in this many steps, each of several words. */
const STEPS_MAX = 100;

export interface ReplayOptions {
  readonly world: World;
  readonly cassette: Cassette;
  readonly values: RunValues;
  /** True to keep the recorded pauses, for people who watch. */
  readonly paced: boolean;
}

/**
 * Plays a cassette instead of a model: no key, no network (PROV-08).
 *
 * An answer is returned only for its recorded request: the same messages after the named variables are removed,
 * and the same tool names in any order. System text and tool schemas are ignored. An answer is returned as often
 * as it was recorded; answers to the same request are returned in turn. Anything else is an error that shows the
 * first difference.
 */
export function replayProvider(options: ReplayOptions): Provider {
  const { cassette, world, paced } = options;
  const { header } = cassette;
  const variables = new Variables(options.values, header.variables);
  const byFamily = redactor([]);
  const recorded = unfold(cassette);
  const used = new Set<Recorded>();
  let requests = 0;

  async function* chat(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    requests += 1;
    const { messages, ids } = variables.nameRequest(redactMessages(request.messages, byFamily));
    const asked = comparable(
      request.tools.map((tool) => tool.name),
      messages,
    );
    const same = recorded.filter((candidate) => candidate.key === asked.key);
    const next = same.find((candidate) => !used.has(candidate));
    if (next === undefined) throw mismatch(cassette.path, { recorded, same, asked, number: requests });
    used.add(next);
    yield* play(next, ids, signal);
  }

  async function* play({ events }: Recorded, ids: Ids, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    for (const { ms, event } of events) {
      if (paced && ms > 0) await world.clock.sleep(Math.min(ms, PAUSE_MS_MAX), signal);
      signal.throwIfAborted();
      const filled = variables.fill(event, ids);
      if (paced && filled.kind === "text") yield* spoken(filled, signal);
      else yield filled;
    }
  }

  /** A cassette holds the text of a block in one piece; paced playback emits it word by word. */
  async function* spoken(event: Extract<ModelEvent, { kind: "text" }>, signal: AbortSignal) {
    const words = event.text.split(/(?<=\s)(?=\S)/);
    const step = Math.ceil(words.length / STEPS_MAX);
    for (let at = 0; at < words.length; at += step) {
      await world.clock.sleep(WORD_MS, signal);
      yield { ...event, text: words.slice(at, at + step).join("") };
    }
  }

  return {
    name: "replay",
    family: header.family,
    canonicalFormVersion: CANONICAL_FORM_VERSION,
    chat,
    models: () => Promise.resolve([{ id: cassette.path, name: `${header.model} (recorded)` }]),
    tokenCount: (messages) => Promise.resolve(Math.ceil(byteLength(JSON.stringify(messages)) / 4)),
  };
}

/** A request with named variables, and the text that identifies it. */
interface Comparable {
  readonly tools: readonly string[];
  readonly messages: readonly Message[];
  readonly keys: readonly string[];
  readonly key: string;
}

interface Recorded extends Comparable {
  readonly line: number;
  readonly events: Cassette["exchanges"][number]["events"];
}

function comparable(tools: readonly string[], messages: readonly Message[]): Comparable {
  const sorted = [...new Set(tools)].sort();
  const keys = messages.map(canonicalJson);
  return { tools: sorted, messages, keys, key: JSON.stringify([sorted, keys]) };
}

/** Prepends the messages that an exchange shares with the previous one. */
function unfold({ exchanges }: Cassette): readonly Recorded[] {
  let before: readonly Message[] = [];
  return exchanges.map(({ line, events, request }) => {
    before = [...before.slice(0, request.after), ...request.messages];
    return { line, events, ...comparable(request.tools, before) };
  });
}

interface Mismatch {
  readonly recorded: readonly Recorded[];
  readonly same: readonly Recorded[];
  readonly asked: Comparable;
  readonly number: number;
}

/** Returns the error that names the request and where it first differs from the nearest recorded one. */
function mismatch(path: string, { recorded, same, asked, number }: Mismatch): HarnessError {
  const fields = { path, number: String(number) };
  const [twin] = same;
  if (twin !== undefined) {
    const times = count(same.length, "time");
    return new HarnessError("CassetteMismatch", {
      ...fields,
      difference: `The request was recorded ${times} (line ${twin.line}), and so often it was answered already.`,
    });
  }
  const nearest = recorded.reduce<Recorded | undefined>(
    (best, candidate) => (best === undefined || nearer(candidate, best, asked) ? candidate : best),
    undefined,
  );
  const goesOn = nearest !== undefined && asked.keys.length > nearest.keys.length;
  if (nearest === undefined || (goesOn && shared(nearest, asked) === nearest.keys.length)) {
    return new HarnessError("CassetteExhausted", fields);
  }
  return new HarnessError("CassetteMismatch", { ...fields, difference: describeDifference(nearest, asked) });
}

/** Returns true if the candidate has more messages in common, or as many and a more similar length. */
function nearer(candidate: Recorded, best: Recorded, asked: Comparable): boolean {
  const [candidateShared, bestShared] = [shared(candidate, asked), shared(best, asked)];
  if (candidateShared !== bestShared) return candidateShared > bestShared;
  const distance = ({ keys }: Recorded) => Math.abs(keys.length - asked.keys.length);
  return distance(candidate) < distance(best);
}

function shared({ keys }: Comparable, asked: Comparable): number {
  const at = keys.findIndex((key, index) => key !== asked.keys[index]);
  return at === -1 ? keys.length : at;
}
