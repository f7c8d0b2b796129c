import { HarnessError } from "../../../base/errors.ts";
import { decode } from "../../../base/text/text.ts";
import type { Services } from "../layout/services.ts";

/** Longest file that is read back from an editor. */
const SAVED_BYTES_MAX = 16 << 20;
/** A shell returns more than this for a program that a signal has ended. */
const SIGNALLED = 128;

type TerminalServices = Pick<Services, "host" | "screen">;

/**
 * Opens a text in a program on the terminal, such as a pager or an editor, with the screen suspended meanwhile. Returns
 * the text as the program saved it. The text stands in a private file, which is removed afterwards: it stays only if a
 * signal has ended the program after it had saved another text.
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
    const read = async () => decode(await host.read(path, SAVED_BYTES_MAX));
    let isKept = false;
    try {
      const exit = await host.runOnTerminal(command, path);
      if (exit === 0) return await read();
      isKept = exit > SIGNALLED && (await read()) !== text;
      const hint = isKept ? ` What it saved is in ${path}.` : "";
      throw new HarnessError("UsageInvalid", { problem: `${command} ended with exit code ${exit}.${hint}` });
    } finally {
      if (!isKept) await host.removePrivate(path);
    }
  });
}
