import type { Message } from "../../protocol/message.ts";
import type { Redactor } from "../../safety/redact.ts";
import type { TimedEvent } from "./cassette.ts";

/**
 * Redacts the secrets in messages for a cassette (SES-05). Blocks that must not change (thinking, and blocks unknown
 * to this version) are left out whole if they contain one.
 */
export function redactMessages(messages: readonly Message[], redactor: Redactor): readonly Message[] {
  return messages.map((message) => {
    const content = message.content.filter((block) => !isSealed(block) || redactor.json(block) === block);
    // Only texts inside change, so the shape is still the same.
    return redactor.json(
      content.length === message.content.length ? message : { ...message, content },
    ) as Message;
  });
}

/** Redacts the secrets in an answer. Its texts must be in one piece: a secret may be split over deltas. */
export function redactAnswer(events: readonly TimedEvent[], redactor: Redactor): readonly TimedEvent[] {
  const dropped = new Set(
    events.flatMap(({ event }) => {
      const sealed = event.kind === "thinking" || (event.kind === "block" && isSealed(event.block));
      return sealed && redactor.json(event) !== event ? [event.index] : [];
    }),
  );
  const remainingEvents = events.filter(({ event }) => !("index" in event && dropped.has(event.index)));
  return redactor.json(remainingEvents) as readonly TimedEvent[];
}

function isSealed(block: { readonly type: string }): boolean {
  return block.type === "thinking" || block.type === "opaque";
}
