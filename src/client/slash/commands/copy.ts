import { unreachable } from "../../../base/assert.ts";
import { HarnessError } from "../../../base/errors.ts";
import { byteLength, count, grouped } from "../../../base/text/text.ts";
import { CLIPBOARD_BYTES_MAX } from "../../../view/terminal/clipboard.ts";
import { refusalText } from "../../../view/texts/refusal-text.ts";
import type { CopyResult, SlashContext } from "../slash-context.ts";

type CopyContext = Pick<SlashContext, "session" | "query" | "say" | "copy">;

/** Items that are looked through for the last answer. */
const ITEMS_READ = 100;
const EXPORT = "/sessions:export --format markdown writes the session to a file.";

/** Runs `/copy`: puts the last answer of the session's own agent into the clipboard, as the model wrote it. */
export async function runCopy(client: CopyContext): Promise<void> {
  const answer = await lastAnswer(client);
  if (answer instanceof HarnessError) return await client.say(refusalText(answer));
  if (answer === undefined) return await client.say("There is no answer to copy yet.");
  await client.copy(answer);
}

/** Returns the sentence about a text that went to the clipboard of a terminal, or could not. */
export function copiedText(way: CopyResult, text: string): string {
  switch (way) {
    case "no-terminal":
      return `There is no terminal here whose clipboard could take it. ${EXPORT}`;
    case "too-long":
      return `The answer has ${grouped(byteLength(text))} bytes; terminals take ${grouped(CLIPBOARD_BYTES_MAX)}. ${EXPORT}`;
    case "tmux":
      return `Copied ${lines(text)} through tmux (OSC 52). If nothing arrived: tmux set -g allow-passthrough on`;
    case "terminal":
      return `Copied ${lines(text)} to the terminal's clipboard (OSC 52).`;
    default:
      return unreachable(way);
  }
}

function lines(text: string): string {
  return count(text.replace(/\n$/, "").split("\n").length, "line");
}

async function lastAnswer({
  session: sessionId,
  query,
}: CopyContext): Promise<string | HarnessError | undefined> {
  const page = await query({ kind: "ListItems", sessionId, limit: ITEMS_READ });
  if (page instanceof HarnessError) return page;
  const last = page.items.findLast(({ kind }) => kind === "text");
  if (last === undefined) return undefined;
  const whole = await query({ kind: "GetItem", sessionId, event: last.event });
  if (whole instanceof HarnessError) return whole;
  return whole.events.map(({ kind, payload }) => (kind === "TextDelta" ? payload.text : "")).join("");
}
