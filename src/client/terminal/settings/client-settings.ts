import type { DiffLayout } from "../diff/diff-rows.ts";
import type { MouseMode } from "../screen/screen.ts";

/** What a person sets for this client, kept over its end. */
export interface SettingValues {
  /** `auto`: made from the background of the terminal. */
  readonly theme: string;
  readonly mouse: MouseMode;
  readonly vimKeys: boolean;
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
}

export const DEFAULT_SETTINGS: SettingValues = {
  theme: "auto",
  mouse: "wheel",
  vimKeys: false,
  lastLines: 5,
  diffLayout: "auto",
  sidebar: false,
  copyOnSelect: false,
  favouriteModels: [],
  notify: "unfocused",
};

/** The settings of this client, read and changed by the parts of its screen. */
export interface ClientSettings {
  readonly values: SettingValues;
  /** Changes settings for now and for later starts. A file that cannot be written is said, and the change holds here. */
  change(values: Partial<SettingValues>): void;
}
