/** Variables of the user's environment. */
export type Environment = Readonly<Record<string, string>>;

/** A program that takes a text for a clipboard as its input. */
export interface ClipboardProgram {
  readonly command: readonly string[];
  /** Where the text is afterwards, for the person. */
  readonly place: string;
}

/** Terminals that know no OSC 52. */
const WITHOUT_CLIPBOARD = new Set(["", "dumb", "linux"]);

/** Returns true if the person sits at another machine: programs on this one reach no clipboard of theirs. */
export function isRemote(environment: Environment): boolean {
  return ["SSH_TTY", "SSH_CONNECTION", "SSH_CLIENT"].some((name) => isSet(environment, name));
}

/** Returns true inside tmux, which hands a control sequence on only if it is wrapped. */
export function isInTmux(environment: Environment): boolean {
  return isSet(environment, "TMUX");
}

/** Returns true if the terminal may take a clipboard by OSC 52. Most terminals that refuse it say nothing. */
export function mayTakeClipboard({ TERM = "" }: Environment): boolean {
  return !WITHOUT_CLIPBOARD.has(TERM);
}

/**
 * Returns the programs that could take a text, the best one first. None of a display over SSH: it would be the clipboard
 * of another screen.
 */
export function clipboardPrograms(environment: Environment): readonly ClipboardProgram[] {
  if (isRemote(environment)) return [];
  return [
    ...(isSet(environment, "WAYLAND_DISPLAY") ? [{ command: ["wl-copy"], place: "wl-copy" }] : []),
    ...(isSet(environment, "DISPLAY")
      ? [
          { command: ["xclip", "-selection", "clipboard"], place: "xclip" },
          { command: ["xsel", "--clipboard", "--input"], place: "xsel" },
        ]
      : []),
    ...(isSet(environment, "WSL_DISTRO_NAME") ? [{ command: ["clip.exe"], place: "clip.exe" }] : []),
    { command: ["pbcopy"], place: "pbcopy" },
  ];
}

/** Puts the text into a buffer of tmux, which hands it on to the terminal outside where that is allowed. */
export const TMUX_BUFFER: ClipboardProgram = {
  command: ["tmux", "load-buffer", "-w", "-"],
  place: "the buffer of tmux",
};

function isSet(environment: Environment, name: string): boolean {
  return (environment[name] ?? "") !== "";
}
