import { head } from "../../base/text/text.ts";
import { CLIENT_LABEL_CHARACTERS_MAX } from "../../protocol/events/acting-client.ts";
import { neutraliseLine } from "../../view/terminal/terminal-text.ts";

/** Characters of a client's own name that are read: a longer one costs no more. */
const READ_CHARACTERS_MAX = 4 * CLIENT_LABEL_CHARACTERS_MAX;
const UNNAMED = "unnamed client";

/**
 * Returns the name that a client gives itself as everybody is shown it: one line, without control sequences and
 * invisible characters, at most `CLIENT_LABEL_CHARACTERS_MAX` characters. Every label passes here when its client
 * attaches, whatever the transport.
 */
export function clientLabel(label: string): string {
  const line = neutraliseLine(head(label, READ_CHARACTERS_MAX)).trim();
  const short = head(line, CLIENT_LABEL_CHARACTERS_MAX).trim();
  return short === "" ? UNNAMED : short;
}
