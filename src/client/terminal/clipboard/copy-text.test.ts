import { expect, test } from "bun:test";
import { fakeServices } from "../../../../test/support/terminal-parts.ts";
import type { Services } from "../layout/services.ts";
import { copyText } from "./copy-text.ts";

interface Fed {
  readonly command: readonly string[];
  readonly text: string;
}

/** Services in an environment where only these programs are installed. */
function desk(environment: Record<string, string>, programs: readonly string[] = []) {
  const services = fakeServices();
  const fed: Fed[] = [];
  const written: string[] = [];
  const host: Services["host"] = {
    ...services.host,
    environment: { TERM: "xterm-256color", ...environment },
    async feed(command, text) {
      if (!programs.includes(command[0] ?? "")) return false;
      fed.push({ command, text });
      return true;
    },
    async writePrivate(name, text) {
      written.push(text);
      return `/private/${name}`;
    },
  };
  return { ...services, host, fed, written };
}

const OSC_HELLO = "\u001b]52;c;aGVsbG8=\u0007";

test("[TUI-01 complaint 12 complaint 13] over SSH a text goes to the terminal alone, and copied again into a file", async () => {
  const at = desk({ SSH_TTY: "/dev/pts/1", DISPLAY: ":0" }, ["xclip"]);
  await copyText(at, "hello");
  expect(at.controls).toEqual([OSC_HELLO]);
  expect(at.fed).toEqual([]);
  expect(at.said.at(-1)).toBe(
    "Sent 5 characters to the terminal (OSC 52). Did nothing arrive? Copy again: it goes to a file.",
  );
  await copyText(at, "hello");
  expect(at.written).toEqual(["hello"]);
  expect(at.said.at(-1)).toBe("Wrote 5 characters to /private/copied.txt");
  await copyText(at, "hello");
  expect(at.controls).toHaveLength(2);
});

test("[TUI-01 complaint 12] on a display the program that took the text is named", async () => {
  const at = desk({ DISPLAY: ":0", WAYLAND_DISPLAY: "wayland-0" }, ["xsel"]);
  await copyText(at, "a\nb\n");
  expect(at.fed).toEqual([{ command: ["xsel", "--clipboard", "--input"], text: "a\nb\n" }]);
  expect(at.said).toEqual(["Copied 2 lines (4 bytes) to xsel and to the terminal (OSC 52)."]);
});

test("[TUI-01 complaint 13] in tmux a text goes to its buffer and, wrapped, to the terminal outside", async () => {
  const at = desk({ TMUX: "/tmp/tmux,1,0", SSH_TTY: "/dev/pts/1" }, ["tmux"]);
  await copyText(at, "hello");
  expect(at.controls).toEqual([`\u001bPtmux;\u001b${OSC_HELLO}\u001b\\`]);
  expect(at.fed.map(({ command }) => command.join(" "))).toEqual(["tmux load-buffer -w -"]);
  expect(at.said).toEqual(["Copied 5 characters to tmux and to the terminal (OSC 52)."]);
});

test("[TUI-01 complaint 12] a text that no clipboard takes is in a private file whose path is shown", async () => {
  const long = "x".repeat(80_000);
  const at = desk({});
  await copyText(at, long);
  expect(at.controls).toEqual([]);
  expect(at.written).toEqual([long]);
  expect(at.said.at(-1)).toBe("No clipboard here takes 80000 characters: wrote /private/copied.txt");
  const console = desk({ TERM: "linux" });
  await copyText(console, "hello");
  expect(console.written).toEqual(["hello"]);
});

test("[TUI-07] control sequences are not copied, and hidden characters are seen in the copy", async () => {
  const at = desk({ DISPLAY: ":0" }, ["xclip"]);
  await copyText(at, "rm \u001b[201~a\u200b");
  expect(at.fed[0]?.text).toBe("rm a<U+200B>");
  await copyText(at, "\u001b[2J");
  expect(at.said.at(-1)).toBe("There is nothing to copy.");
});
