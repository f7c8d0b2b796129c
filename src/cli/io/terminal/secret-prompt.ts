import { Cancelled } from "../../../base/errors.ts";
import { SecretField } from "./secret-field.ts";

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
      const field = new SecretField();
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      stdin.on("error", reject);
      stdin.on("end", () => reject(new Cancelled("terminal", "the terminal was closed")));
      stdin.on("data", (text: string) => {
        const entered = field.take({ kind: "keys", text });
        if (entered === "left") reject(new Cancelled("signal", "no key was given"));
        else if (entered !== undefined) resolve(entered.text);
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
