import { openOnTerminal } from "../host/on-terminal.ts";
import { editorOf } from "../host/programs.ts";
import type { Services } from "../layout/services.ts";

/** Tells an editor how to show the text. */
const FILE_NAME = "prompt.md";

/**
 * Opens a draft in the person's editor, and returns it as it was saved. The line break that editors add at the end is
 * left out.
 * @throws HarnessError if the editor ends with a failure.
 */
export async function editDraft(text: string, services: Pick<Services, "host" | "screen">): Promise<string> {
  const saved = await openOnTerminal(services, editorOf(services.host), FILE_NAME, text);
  return text.endsWith("\n") ? saved : saved.replace(/\r?\n$/, "");
}
