import { HarnessError } from "../../../base/errors.ts";
import { decode } from "../../../base/text/text.ts";
import type { Services } from "../layout/services.ts";

/** Longest file that is read back from an editor. */
const SAVED_BYTES_MAX = 16 << 20;

type TerminalServices = Pick<Services, "host" | "screen">;

/**
 * Opens a text in a program on the terminal, such as a pager or an editor, with the screen suspended meanwhile. Returns
 * the text as the program saved it. The text stands in a private file, which is removed afterwards.
 * @param command words of a shell, as `$EDITOR` has them.
 * @param name of the file; its end tells the program what is in it.
 * @throws HarnessError if the program ends with a failure, or another one has the terminal; an error of the system if
 * there is no room for the file.
 */
export async function openOnTerminal(
  services: TerminalServices,
  command: string,
  name: string,
  text: string,
): Promise<string> {
  const { host, screen } = services;
  return await screen.lend(async () => {
    const path = await host.writePrivate(name, text);
    try {
      const exit = await host.runOnTerminal(command, path);
      if (exit !== 0)
        throw new HarnessError("UsageInvalid", { problem: `${command} ended with exit code ${exit}.` });
      return decode(await host.read(path, SAVED_BYTES_MAX));
    } finally {
      await host.removePrivate(path);
    }
  });
}
