import type { DiffLayout } from "../diff/diff-layout.ts";
import type { RightToLeft } from "../drawing/right-to-left.ts";
import type { MouseMode } from "../screen/screen.ts";

/**
 * Settings of a person for this client, kept over its end. Names and limits in the file stand in `setting-keys.ts`.
 */
export interface ClientSettingValues {
  /** `auto`: made from the background of the terminal. */
  readonly theme: string;
  readonly mouse: MouseMode;
  readonly vimKeys: boolean;
  /**
   * `full`: the whole screen; `inline`: the scrollback; `reader`: lines for a screen reader. It counts
   * at the next start.
   */
  readonly screen: "full" | "inline" | "reader";
  /** Rows of a call's output that are shown while it is folded. */
  readonly lastLines: number;
  readonly diffLayout: DiffLayout;
  /** True: the sidebar is open where the screen is wide enough. */
  readonly sidebar: boolean;
  /** True: a selection with the mouse is copied at once. */
  readonly copyOnSelect: boolean;
  /** Models as `provider:name` that the key for the next favourite goes through. */
  readonly favouriteModels: readonly string[];
  /** `unfocused`: only while another window has the focus. */
  readonly notify: "off" | "unfocused" | "always";
  /** True: a notification has the title of the session. */
  readonly notifyContent: boolean;
  /** True: the transcript stays on the main screen when the client ends. */
  readonly transcriptAtExit: boolean;
  /** Form in which words that are read from the right to the left are written. */
  readonly rightToLeft: RightToLeft;
  /** True: the cursor is visible without a field too, at what is chosen. */
  readonly visibleCursor: boolean;
}

export const DEFAULT_SETTINGS: ClientSettingValues = {
  theme: "auto",
  mouse: "wheel",
  vimKeys: false,
  screen: "full",
  lastLines: 5,
  diffLayout: "auto",
  sidebar: false,
  copyOnSelect: false,
  favouriteModels: [],
  notify: "unfocused",
  notifyContent: false,
  transcriptAtExit: false,
  rightToLeft: "isolate",
  visibleCursor: false,
};

/** The settings of this client, read and changed by the parts of its screen. */
export interface ClientSettings {
  readonly values: ClientSettingValues;
  /** Sentences about wrong entries of the file, with their lines, and about keys that do not do what it says. */
  readonly problems: readonly string[];
  /** Changes settings here and in the file. A file that cannot be written is reported, and the change holds here. */
  change(values: Partial<ClientSettingValues>): void;
  /** Reads the file again. Never throws: what is wrong is in `problems`. */
  reload(): Promise<void>;
}
