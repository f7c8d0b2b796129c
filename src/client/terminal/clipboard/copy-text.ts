import { sizeText } from "../../../base/text/size-text.ts";
import { byteLength, count } from "../../../base/text/text.ts";
import { clipboardSequence } from "../../../view/terminal/clipboard.ts";
import { neutralise } from "../../../view/terminal/terminal-text.ts";
import type { Services } from "../layout/services.ts";
import type { ClipboardProgram } from "./clipboard-paths.ts";
import { clipboardPrograms, isInTmux, mayTakeClipboard, TMUX_BUFFER } from "./clipboard-paths.ts";

/** Name of the file that takes a text which no clipboard takes. */
const FILE_NAME = "copied.txt";

/** Texts that went to a terminal which does not confirm them: the same text copied again goes to a file. */
const UNCONFIRMED = new WeakMap<object, string>();

type CopyServices = Pick<Services, "host" | "screen" | "say" | "showFailure">;

/**
 * Copies a text for the person and says which way it took: OSC 52 and the buffer of tmux first, then a program of the
 * display. A text that is too long for all of them goes to a private file, and so does one that is copied twice because
 * the terminal did not take it. Control sequences and hidden characters are left out or made visible.
 *
 * A failure is shown.
 */
export async function copyText(services: CopyServices, text: string): Promise<void> {
  const { say, showFailure } = services;
  const safe = neutralise(text);
  if (safe === "") return say("There is nothing to copy.", "warning");
  try {
    say(await copied(services, safe));
  } catch (thrown) {
    showFailure(thrown);
  }
}

async function copied(services: CopyServices, text: string): Promise<string> {
  const { host } = services;
  const amount = amountOf(text);
  if (UNCONFIRMED.get(host) === text) {
    UNCONFIRMED.delete(host);
    return `Wrote ${amount} to ${await writeCopy(services, text)}`;
  }
  UNCONFIRMED.delete(host);
  const isSent = sendToTerminal(services, text);
  const taken = isInTmux(host.environment) ? await firstTaking([TMUX_BUFFER], services, text) : undefined;
  const program = await firstTaking(clipboardPrograms(host.environment), services, text);
  const places = [taken, program].flatMap((each) => (each === undefined ? [] : [each.place]));
  const also = isSent ? " and to the terminal (OSC 52)" : "";
  if (places.length > 0) return `Copied ${amount} to ${places.join(" and to ")}${also}.`;
  if (!isSent) return `No clipboard here takes ${amount}: wrote ${await writeCopy(services, text)}`;
  UNCONFIRMED.set(host, text);
  return `Sent ${amount} to the terminal (OSC 52). Did nothing arrive? Copy again: it goes to a file.`;
}

/** Returns true if the text went to the terminal, which confirms nothing. */
function sendToTerminal({ host, screen }: CopyServices, text: string): boolean {
  if (!mayTakeClipboard(host.environment)) return false;
  const sequence = clipboardSequence(text, isInTmux(host.environment));
  if (sequence === undefined) return false;
  screen.control(sequence);
  return true;
}

/** Returns the first program that took the text; undefined if none did. */
async function firstTaking(
  programs: readonly ClipboardProgram[],
  { host }: CopyServices,
  text: string,
): Promise<ClipboardProgram | undefined> {
  for (const program of programs) if (await host.feed(program.command, text)) return program;
  return undefined;
}

async function writeCopy({ host }: CopyServices, text: string): Promise<string> {
  return await host.writePrivate(FILE_NAME, text);
}

function amountOf(text: string): string {
  const lines = text.replace(/\n$/, "").split("\n").length;
  const size = sizeText(byteLength(text));
  return lines === 1 ? count([...text].length, "character") : `${count(lines, "line")} (${size})`;
}
