import { isAbsolute, join } from "node:path";
import type { Host } from "../../../src/client/terminal/host/host.ts";
import { fakeServices } from "../terminal-parts.ts";

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const FOLDER = "/work";

/** Failure of everything on a machine where nothing works. */
function refusedAccess(): Error {
  return Object.assign(new Error("permission denied"), { code: "EACCES" });
}

/**
 * The machine of a person: images in the folder and in the clipboard, and files that the client writes and reads back.
 * @param works false: every file and program of it fails.
 */
export function personMachine(settings: string, works: boolean): Host {
  const { host } = fakeServices();
  const files = new Map<string, string>();
  const images = new Map<string, Uint8Array>([
    [join(FOLDER, "image.png"), PNG],
    [join(FOLDER, "a shot.png"), PNG],
    ["/private/日本.png", PNG],
    [join(FOLDER, "\u001b[31mred.png"), PNG],
    [join(FOLDER, "broken.png"), PNG.subarray(0, 20)],
    [join(FOLDER, "large.gif"), new TextEncoder().encode("GIF89a no more of it")],
  ]);
  const fails = async (): Promise<never> => await Promise.reject(refusedAccess());
  const own: Host = {
    ...host,
    readSettings: async () => settings,
    output: async ([program]) => (program === "pngpaste" ? PNG : undefined),
    feed: async () => true,
    async writePrivate(name, text) {
      files.set(`/private/${name}`, text);
      return `/private/${name}`;
    },
    async read(path) {
      const full = isAbsolute(path) ? path : join(FOLDER, path);
      const text = files.get(full);
      const bytes = text === undefined ? images.get(full) : new TextEncoder().encode(text);
      if (bytes === undefined) throw Object.assign(new Error("there is no such file"), { code: "ENOENT" });
      return bytes;
    },
  };
  if (works) return own;
  const nothing = { output: async () => undefined, feed: async () => false, runOnTerminal: fails };
  return { ...own, ...nothing, writePrivate: fails, read: fails, writeSettings: fails, removePrivate: fails };
}
