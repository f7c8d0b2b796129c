import { Cancelled } from "../../../base/errors.ts";

const ENTER = /[\r\n]/;
const [CTRL_C, CTRL_D, CTRL_U, BACKSPACE, DELETE] = ["\u0003", "\u0004", "\u0015", "\b", "\u007f"];

/**
 * Asks for a secret at the terminal and shows nothing of it. The terminal is always restored (R39).
 * @throws Cancelled for Ctrl-C and Ctrl-D; the signal's reason.
 */
export async function askSecret(question: string, signal: AbortSignal): Promise<string> {
  const { stdin } = process;
  const giveBack = () => void stdin.setRawMode(false);
  process.once("exit", giveBack);
  stdin.setRawMode(true); // before the question: earlier keys would be seen, or lost
  process.stderr.write(question);
  stdin.setEncoding("utf8");
  try {
    return await new Promise<string>((resolve, reject) => {
      let typed = "";
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      stdin.on("error", reject);
      stdin.on("end", () => reject(new Cancelled("terminal", "the terminal was closed")));
      stdin.on("data", (text: string) => {
        for (const character of text) {
          if (ENTER.test(character)) return resolve(typed);
          if (character === CTRL_C || character === CTRL_D) {
            return reject(new Cancelled("signal", "no key was given"));
          }
          if (character === CTRL_U) typed = "";
          else if (character === BACKSPACE || character === DELETE) typed = typed.slice(0, -1);
          else typed += character;
        }
      });
      stdin.resume();
    });
  } finally {
    stdin.pause();
    stdin.removeAllListeners("data");
    giveBack();
    process.removeListener("exit", giveBack);
    process.stderr.write("\n");
  }
}
