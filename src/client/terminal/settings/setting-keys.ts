import { RIGHT_TO_LEFT } from "../drawing/right-to-left.ts";
import { THEME_NAMES } from "../themes/theme-choice.ts";
import type { ClientSettingValues } from "./client-settings.ts";

interface Described {
  /** Name in the file. */
  readonly key: string;
  /** Sentences for the documentation and the panel. */
  readonly meaning: string;
}

interface FlagKey extends Described {
  readonly kind: "flag";
}

interface NumberKey extends Described {
  readonly kind: "number";
  readonly min: number;
  readonly max: number;
}

interface WordKey extends Described {
  readonly kind: "word";
  readonly words: readonly string[];
}

interface TextsKey extends Described {
  readonly kind: "texts";
  readonly countMax: number;
}

/** Name, kind and limits of a setting in the file. */
export type SettingKey = FlagKey | NumberKey | WordKey | TextsKey;

/** The description of a setting that holds a type of values. */
type KeyOf<Value> = [Value] extends [boolean]
  ? FlagKey
  : [Value] extends [number]
    ? NumberKey
    : [Value] extends [string]
      ? WordKey
      : TextsKey;

/** Every setting as it stands in the file. The page of the documentation is compared with this table. */
export const SETTING_KEYS: {
  readonly [Name in keyof ClientSettingValues]: KeyOf<ClientSettingValues[Name]>;
} = {
  theme: {
    key: "theme",
    kind: "word",
    words: THEME_NAMES,
    meaning: "The colours. `auto` and `colour-blind` follow the background of the terminal.",
  },
  mouse: {
    key: "mouse",
    kind: "word",
    words: ["off", "wheel", "full"],
    meaning: "Uses of the mouse: none, the wheel alone, or clicks and selections too.",
  },
  vimKeys: { key: "vim_keys", kind: "flag", meaning: "The draft has vim keys." },
  screen: {
    key: "screen",
    kind: "word",
    words: ["full", "inline", "reader"],
    meaning:
      "`full`: the whole screen; `inline`: the scrollback; `reader`: lines for a screen reader. From the next start on.",
  },
  lastLines: {
    key: "last_lines",
    kind: "number",
    min: 0,
    max: 1_000,
    meaning: "Lines of a call's output that are shown while it is folded.",
  },
  diffLayout: {
    key: "diff_layout",
    kind: "word",
    words: ["auto", "unified", "side"],
    meaning: "Diffs in one column or side by side. `auto`: side by side from 120 columns on.",
  },
  sidebar: { key: "sidebar", kind: "flag", meaning: "The sidebar is open where the screen is wide enough." },
  copyOnSelect: {
    key: "copy_on_select",
    kind: "flag",
    meaning: "A text that is selected with the mouse is copied at once.",
  },
  favouriteModels: {
    key: "favourite_models",
    kind: "texts",
    countMax: 50,
    meaning: "Models as `provider:name` that the key for the next favourite goes through.",
  },
  notify: {
    key: "notify",
    kind: "word",
    words: ["off", "unfocused", "always"],
    meaning:
      "Bell and notification of the terminal when a turn ends or a question waits: never, while another window has the focus, or always.",
  },
  notifyContent: {
    key: "notify_content",
    kind: "flag",
    meaning: "The notification also has the title of the session.",
  },
  transcriptAtExit: {
    key: "transcript_at_exit",
    kind: "flag",
    meaning: "The whole transcript is printed on the main screen when cinch ends.",
  },
  rightToLeft: {
    key: "right_to_left",
    kind: "word",
    words: RIGHT_TO_LEFT,
    meaning:
      "Words from the right to the left: `isolate` for terminals that reorder them, `reorder` for those that do not, `plain`: without marks.",
  },
  visibleCursor: {
    key: "visible_cursor",
    kind: "flag",
    meaning: "The cursor is also visible in lists and panels, at what is chosen: a magnifier follows it.",
  },
};

export const TERMINAL_SETTING_NAMES = Object.keys(SETTING_KEYS) as readonly (keyof ClientSettingValues)[];
