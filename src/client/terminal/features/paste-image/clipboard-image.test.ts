import { expect, test } from "bun:test";
import { fakeServices } from "../../../../../test/support/terminal-parts.ts";
import { readClipboardImage } from "./clipboard-image.ts";

const PNG = new Uint8Array(
  Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  ),
);
/** A machine with some programs: each answers by its command, or with nothing at all. */
function hostWith(
  environment: Readonly<Record<string, string>>,
  programs: Readonly<Record<string, Uint8Array | string>>,
) {
  const { host } = fakeServices();
  const output = async (command: readonly string[]) => {
    const answer = programs[command.join(" ")];
    return typeof answer === "string" ? new TextEncoder().encode(answer) : answer;
  };
  return { ...host, environment, output };
}

test("[TUI-08] an image is read from the clipboard of Wayland, X11, macOS and Windows", async () => {
  const hex = Buffer.from(PNG).toString("hex").toUpperCase();
  const hosts = [
    hostWith(
      { WAYLAND_DISPLAY: "wayland-0" },
      { "wl-paste --list-types": "text/html\nimage/png\n", "wl-paste --no-newline --type image/png": PNG },
    ),
    hostWith(
      { DISPLAY: ":0" },
      {
        "xclip -selection clipboard -out -target TARGETS": "TARGETS\nimage/png\n",
        "xclip -selection clipboard -out -target image/png": PNG,
      },
    ),
    hostWith({}, { "pngpaste -": PNG }),
    hostWith({}, { "osascript -e the clipboard as «class PNGf»": `«data PNGf${hex}»\n` }),
  ];
  for (const host of hosts)
    expect(await readClipboardImage(host)).toMatchObject({ facts: "1x1 png, 70 bytes" });
});

test("[TUI-08] a missing program, an empty clipboard and a machine without one are said", async () => {
  const why = async (environment: Readonly<Record<string, string>>, programs = {}) => {
    const read = await readClipboardImage(hostWith(environment, programs));
    return "why" in read ? read.why : undefined;
  };
  expect(await why({ WAYLAND_DISPLAY: "w", DISPLAY: ":0" })).toStartWith(
    "To paste images, install wl-clipboard or xclip.",
  );
  expect(await why({ DISPLAY: ":0" }, { "xclip -version": "" })).toBe("The clipboard holds no image.");
  expect(await why({ SSH_TTY: "/dev/pts/1" })).toStartWith("Over SSH the clipboard");
  expect(await why({ SSH_TTY: "", SSH_CLIENT: "10.0.0.1 1 22" })).toStartWith("Over SSH the clipboard");
  expect(await why({})).toStartWith("No clipboard was found");
});
