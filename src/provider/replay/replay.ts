import { HarnessError } from "../../base/errors.ts";
import { byteLength } from "../../base/text.ts";
import type { World } from "../../base/world.ts";
import type { Message } from "../../protocol/message.ts";
import { CANONICAL_FORM_VERSION } from "../../protocol/version.ts";
import type { ModelEvent, ModelRequest, Provider } from "../provider.ts";
import type { Cassette, Exchange } from "./cassette.ts";
import { difference } from "./difference.ts";
import type { RunValues } from "./variables.ts";
import { Variables } from "./variables.ts";

/** The longest pause between two recorded events that is kept when they are played at their pace. */
export const PAUSE_MS_MAX = 400;

const WORD_MS = 12;

export interface ReplayOptions {
  readonly world: World;
  readonly cassette: Cassette;
  readonly values: RunValues;
  /** Whether the recorded pauses are kept, for people who watch. */
  readonly paced: boolean;
}

/**
 * Plays a cassette in place of a model: no key, no network (PROV-08).
 *
 * An answer is given only for the request it was recorded for: the same messages and tool names after the named
 * variables are taken out, whatever the order of asking. Anything else is an error that shows the first difference.
 */
export function replayProvider(options: ReplayOptions): Provider {
  const { cassette, world, paced } = options;
  const { header } = cassette;
  const variables = new Variables(options.values, header.variables);
  const recorded = unfold(cassette.exchanges);
  let requests = 0;

  async function* chat(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    requests += 1;
    const asked = {
      tools: request.tools.map((tool) => tool.name),
      messages: variables.name(request.messages),
    };
    const match = recorded.find((candidate) => sameRequest(candidate, asked));
    if (match === undefined) throw mismatch(cassette, recorded, asked, requests);
    for (const { ms, event } of match.exchange.events) {
      if (paced && ms > 0) await world.clock.sleep(Math.min(ms, PAUSE_MS_MAX), signal);
      signal.throwIfAborted();
      const filled = variables.fill(event);
      if (paced && filled.kind === "text") yield* spoken(filled, signal);
      else yield filled;
    }
  }

  /** A cassette holds the text of a block in one piece; people who watch get it word by word. */
  async function* spoken(event: Extract<ModelEvent, { kind: "text" }>, signal: AbortSignal) {
    for (const text of event.text.split(/(?<=\s)/)) {
      await world.clock.sleep(WORD_MS, signal);
      yield { ...event, text };
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

interface Asked {
  readonly tools: readonly string[];
  readonly messages: readonly Message[];
}

interface Unfolded extends Asked {
  readonly exchange: Exchange;
}

/** Puts the messages that an exchange shares with the one before back in front of its own. */
function unfold(exchanges: readonly Exchange[]): readonly Unfolded[] {
  let before: readonly Message[] = [];
  return exchanges.map((exchange) => {
    const { after, messages, tools } = exchange.request;
    before = [...before.slice(0, after), ...messages];
    return { exchange, tools, messages: before };
  });
}

function sameRequest(a: Asked, b: Asked): boolean {
  return (
    a.messages.length === b.messages.length &&
    JSON.stringify(a.messages) === JSON.stringify(b.messages) &&
    JSON.stringify(a.tools) === JSON.stringify(b.tools)
  );
}

/** Names the request and shows where it first differs from the recorded one that is nearest to it. */
function mismatch(
  cassette: Cassette,
  recorded: readonly Unfolded[],
  asked: Asked,
  number: number,
): HarnessError {
  const { path } = cassette;
  const [nearest] = [...recorded]
    .filter((candidate) => candidate.messages.length === asked.messages.length)
    .sort((a, b) => sharedMessages(b, asked) - sharedMessages(a, asked));
  if (nearest === undefined) {
    return new HarnessError("CassetteExhausted", { path, number: String(number) });
  }
  return new HarnessError("CassetteMismatch", {
    path,
    number: String(number),
    difference: difference(
      { line: nearest.exchange.line, tools: nearest.tools, messages: nearest.messages },
      asked,
    ),
  });
}

function sharedMessages(recorded: Asked, asked: Asked): number {
  const at = recorded.messages.findIndex(
    (message, index) => JSON.stringify(message) !== JSON.stringify(asked.messages[index]),
  );
  return at === -1 ? recorded.messages.length : at;
}
