import type { KeyContext } from "./actions.ts";

/** Each context as people know it, in the order in which the help panel lists them. */
export const CONTEXT_TITLES: Readonly<Record<KeyContext, string>> = {
  global: "Anywhere",
  input: "In the draft",
  emptyDraft: "In an empty draft",
  completion: "In a list of completions",
  vim: "In vim mode",
  vimInsert: "In vim's insert mode",
  vimNormal: "In vim's normal mode",
  vimVisual: "In vim's visual mode",
  browse: "While browsing",
  search: "While searching",
  question: "In a permission question",
  dialog: "In any question",
  choice: "In a question that takes words too",
  confirm: "In a question with yes and no",
  review: "In a review",
  list: "In a list",
  panel: "In a panel",
  queue: "In the queue",
  sessions: "In the list of sessions",
  replay: "In a replay",
  rewind: "In the list of prompts",
  changes: "In the list of changes",
  models: "In the list of models",
  costs: "In the table of costs",
  policy: "In the panel of the session's rules",
  settings: "In the settings",
};

export const CONTEXTS = Object.keys(CONTEXT_TITLES) as readonly KeyContext[];

/** Words that a key begins with if it counts in one mode of vim alone, such as `vim-normal:enter`. */
export const VIM_MODES: ReadonlyMap<string, KeyContext> = new Map([
  ["vim-insert", "vimInsert"],
  ["vim-normal", "vimNormal"],
  ["vim-visual", "vimVisual"],
]);
