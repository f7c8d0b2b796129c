import type { InputId, LogId } from "../../src/base/ids.ts";
import { INPUT_DELIVERED } from "../../src/engine/loop/turn.ts";
import type { Envelope } from "../../src/protocol/events/envelope.ts";
import type { ModelRequest } from "../../src/providers/provider.ts";
import type { SessionStore } from "../../src/session/store/store.ts";

const EVENTS_MAX = 1_000_000;

/** Said with some inputs: it holds from then on, whatever is left of the conversation. */
export const RULE = "Never touch the folder keep without asking.";

interface Looking {
  readonly request: ModelRequest;
  /** True if a provider accepted less than its window. */
  readonly isSqueezed: boolean;
}

/**
 * Texts that the next request of a session must hold, however small its history was made (SES-13): what was asked
 * last and what was said last while that was worked on, the rule that was said, the open task and the file that was
 * worked on last. The log tells what that is.
 *
 * The first request of a turn may be read before the log has its input: what was asked last is then not looked for.
 *
 * A conversation that was set back has other words: of one nothing but the newest request is looked for. Of one that
 * was refused as too long nothing is, since it keeps what still fits.
 */
export async function lostWords(
  store: SessionStore,
  log: LogId,
  { request: { system, messages }, isSqueezed }: Looking,
): Promise<readonly string[]> {
  if (isSqueezed || system.some(({ name }) => name === "summary")) return [];
  const events = await store.events(log, 0, EVENTS_MAX);
  const asked = events.flatMap(askedIn);
  const wanted = {
    ...(runsTurn(events) ? { request: asked.at(-1), "steering request": steeredIn(events).at(-1) } : {}),
    ...(events.some(isRewound) ? {} : standing(events, asked)),
  };
  const text = JSON.stringify(messages);
  return Object.entries(wanted).flatMap(([what, words]) =>
    words === undefined || text.includes(words) ? [] : [`the ${what} '${words}' is not in the next request`],
  );
}

function askedIn(event: Envelope): readonly string[] {
  if (event.kind !== "TurnStarted") return [];
  return (event.payload.content ?? []).flatMap((block) => (block.type === "text" ? [block.text] : []));
}

/** Returns the steering inputs of the newest turn that have reached the model. */
function steeredIn(events: readonly Envelope[]): readonly string[] {
  const texts = new Map<unknown, string>();
  let steered: string[] = [];
  for (const { kind, payload } of events) {
    if (kind === "TurnStarted") steered = [];
    if (kind === "InputQueued")
      texts.set(
        payload.inputId,
        payload.content.map((block) => (block.type === "text" ? block.text : "")).join(""),
      );
    if (kind !== "CustomEvent" || payload.kind !== INPUT_DELIVERED) continue;
    const { inputId } = payload.payload as { readonly inputId: InputId };
    steered.push(texts.get(inputId) ?? "");
  }
  return steered;
}

/** Returns true if the newest turn in the log has not ended: the input of the running turn is there. */
function runsTurn(events: readonly Envelope[]): boolean {
  return (
    events.findLast(({ kind }) => kind === "TurnStarted" || kind === "TurnEnded")?.kind === "TurnStarted"
  );
}

function isRewound({ kind, payload }: Envelope): boolean {
  return kind === "CustomEvent" && payload.kind === "Rewound";
}

function standing(events: readonly Envelope[], asked: readonly string[]) {
  const delivered = events.some(
    ({ kind, payload }) => kind === "CustomEvent" && payload.kind === INPUT_DELIVERED,
  );
  return {
    rule: asked.some((text) => text.includes(RULE)) && !delivered ? RULE : undefined,
    file: newestOf(events, "Edit", "file_path"),
    task: newestOf(events, "TodoWrite", "task"),
  };
}

/** Returns a field of the input of the newest successful call of a tool. */
function newestOf(events: readonly Envelope[], tool: string, field: string): string | undefined {
  const results = new Map(
    events.flatMap((event) =>
      event.kind === "ToolResult" ? [[event.payload.callId, event.payload.isError === true] as const] : [],
    ),
  );
  const call = events.findLast(
    (event) =>
      event.kind === "ToolCallStarted" &&
      event.payload.tool === tool &&
      results.get(event.payload.callId) === false,
  );
  if (call?.kind !== "ToolCallStarted") return undefined;
  const args = call.payload.args as Readonly<Record<string, unknown>>;
  const value = args[field];
  return typeof value === "string" ? value : undefined;
}
