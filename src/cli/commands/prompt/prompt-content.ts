import { HarnessError } from "../../../base/errors.ts";
import type { InputBlock } from "../../../protocol/content.ts";
import { fence } from "../../../safety/fence.ts";
import type { StandardInput } from "../../io/standard-input.ts";
import {
  ATTACHMENT_FIRST_BYTE_MS_MAX,
  PROMPT_FIRST_BYTE_MS_MAX,
  readStandardInput,
} from "../../io/standard-input.ts";
import type { ProcessContext } from "../../process-context.ts";

/**
 * Returns the content of one prompt: the text of -p with standard input fenced as an attachment, or standard
 * input alone.
 *
 * @throws HarnessError UsageInvalid if there is no prompt, or standard input is not text.
 */
export async function promptContent(
  prompt: string | undefined,
  at: ProcessContext,
): Promise<readonly InputBlock[]> {
  const limits = { clock: at.world.clock, signal: at.stop.signal };
  if (prompt === undefined) {
    const input = await readStandardInput({ ...limits, firstByteMsMax: PROMPT_FIRST_BYTE_MS_MAX });
    return [{ type: "text", text: promptOf(input) }];
  }
  const input = await readStandardInput({ ...limits, firstByteMsMax: ATTACHMENT_FIRST_BYTE_MS_MAX });
  if (input.kind === "silent") {
    const seconds = ATTACHMENT_FIRST_BYTE_MS_MAX / 1000;
    await at.stderr.write(
      `cinch: standard input is open but silent for ${seconds} s; going on without it (</dev/null spares the wait)\n`,
    );
  }
  const attached = input.kind === "text" ? fence("attachment", input.text) : undefined;
  const blocks: InputBlock[] = [{ type: "text", text: prompt }];
  if (attached !== undefined) blocks.push({ type: "text", text: `Standard input:\n${attached}` });
  return blocks;
}

function promptOf(input: StandardInput): string {
  if (input.kind === "text" && input.text.trim() !== "") return input.text;
  const why = {
    text: "standard input is empty",
    none: "there is nothing on standard input",
    silent: `nothing came on standard input within ${PROMPT_FIRST_BYTE_MS_MAX / 1000} s`,
  }[input.kind];
  throw new HarnessError("UsageInvalid", { problem: `-p needs a prompt, and ${why}; write cinch -p "…"` });
}
