import { ATTACHMENT_BYTES_MAX } from "../../../../protocol/commands/run-limits.ts";
import { isRemote } from "../../clipboard/clipboard-paths.ts";
import type { Host } from "../../host/host.ts";
import type { DraftImage } from "../../images/draft-image.ts";
import { draftImage } from "../../images/draft-image.ts";

/** An image from the clipboard, or the reason why there is none. */
export type ReadClipboard = DraftImage | { readonly why: string };

/** A program that reads the clipboard. */
interface Reader {
  /** Name under which a person installs it. */
  readonly name: string;
  /** A command that succeeds if the program is there. Absent: that cannot be found out. */
  readonly probe?: readonly string[];
  /** Returns the bytes of an image; undefined without one. */
  readonly read: (host: Host) => Promise<Uint8Array | undefined>;
}

const TYPES = ["image/png", "image/jpeg", "image/webp", "image/gif"] as const;
const LIST_BYTES_MAX = 65_536;
/** Base64 and hexadecimal digits take more room than the bytes that they stand for. */
const CODED_BYTES_MAX = 2 * ATTACHMENT_BYTES_MAX + LIST_BYTES_MAX;
const INSTEAD = "Paste the path of an image instead, or write @image.png.";

const POWERSHELL = [
  "Add-Type -AssemblyName System.Windows.Forms",
  "$image = [Windows.Forms.Clipboard]::GetImage()",
  "if ($image) { $bytes = New-Object IO.MemoryStream; $image.Save($bytes, 'Png'); [Convert]::ToBase64String($bytes.ToArray()) }",
].join("; ");

const WAYLAND: Reader = {
  name: "wl-clipboard",
  probe: ["wl-paste", "--version"],
  read: (host) =>
    readListed(host, ["wl-paste", "--list-types"], (type) => ["wl-paste", "--no-newline", "--type", type]),
};
const X11: Reader = {
  name: "xclip",
  probe: ["xclip", "-version"],
  read: (host) => readListed(host, [...xclip("TARGETS")], (type) => [...xclip(type)]),
};
const WSL: Reader = {
  name: "powershell.exe",
  probe: ["powershell.exe", "-NoProfile", "-Command", "exit 0"],
  async read(host) {
    const coded = await host.output(
      ["powershell.exe", "-NoProfile", "-STA", "-Command", POWERSHELL],
      CODED_BYTES_MAX,
    );
    const text = coded === undefined ? "" : textOf(coded).trim();
    return text === "" ? undefined : new Uint8Array(Buffer.from(text, "base64"));
  },
};
const PNGPASTE: Reader = {
  name: "pngpaste",
  read: async (host) => await host.output(["pngpaste", "-"], ATTACHMENT_BYTES_MAX),
};
const OSASCRIPT: Reader = {
  name: "osascript",
  probe: ["osascript", "-e", "return 1"],
  async read(host) {
    const coded = await host.output(["osascript", "-e", "the clipboard as «class PNGf»"], CODED_BYTES_MAX);
    const digits = coded === undefined ? undefined : /«data PNGf([0-9A-F]+)»/.exec(textOf(coded))?.[1];
    return digits === undefined ? undefined : new Uint8Array(Buffer.from(digits, "hex"));
  },
};

/** Reads the image of the clipboard with the program of this system. */
export async function readClipboardImage(host: Host): Promise<ReadClipboard> {
  const readers = readersOf(host.environment);
  let isAnyThere = false;
  for (const reader of readers) {
    const bytes = await reader.read(host);
    const image = bytes === undefined ? undefined : draftImage(bytes);
    if (image !== undefined) return image;
    isAnyThere ||=
      reader.probe !== undefined && (await host.output(reader.probe, LIST_BYTES_MAX)) !== undefined;
  }
  if (isAnyThere) return { why: "The clipboard holds no image." };
  return { why: missingText(readers, host.environment) };
}

function readersOf(environment: Host["environment"]): readonly Reader[] {
  const isSet = (name: string) => (environment[name] ?? "") !== "";
  const linux = [...(isSet("WAYLAND_DISPLAY") ? [WAYLAND] : []), ...(isSet("DISPLAY") ? [X11] : [])];
  const windows = isSet("WSL_DISTRO_NAME") || isSet("WSL_INTEROP") ? [WSL] : [];
  const found = [...windows, ...linux];
  return found.length > 0 ? found : [PNGPASTE, OSASCRIPT];
}

function missingText(readers: readonly Reader[], environment: Host["environment"]): string {
  if (!readers.includes(OSASCRIPT))
    return `To paste images, install ${readers.map(({ name }) => name).join(" or ")}. ${INSTEAD}`;
  return isRemote(environment)
    ? `Over SSH the clipboard of your machine cannot be read. ${INSTEAD}`
    : `No clipboard was found: neither WAYLAND_DISPLAY nor DISPLAY is set. ${INSTEAD}`;
}

/** Reads the best of the listed types. */
async function readListed(
  host: Host,
  list: readonly string[],
  read: (type: string) => readonly string[],
): Promise<Uint8Array | undefined> {
  const listed = await host.output(list, LIST_BYTES_MAX);
  const types = listed === undefined ? [] : textOf(listed).split(/\s+/);
  const type = TYPES.find((each) => types.includes(each));
  return type === undefined ? undefined : await host.output(read(type), ATTACHMENT_BYTES_MAX);
}

function xclip(target: string): readonly string[] {
  return ["xclip", "-selection", "clipboard", "-out", "-target", target];
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
