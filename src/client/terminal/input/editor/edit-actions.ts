import type { ActionName } from "../../keys/actions.ts";
import type { EditName } from "./editor.ts";

/** The edits that actions name. */
export const EDITS: Readonly<Partial<Record<ActionName, EditName>>> = {
  "edit.left": "left",
  "edit.right": "right",
  "edit.wordLeft": "wordLeft",
  "edit.wordRight": "wordRight",
  "edit.lineStart": "lineStart",
  "edit.lineEnd": "lineEnd",
  "edit.up": "lineUp",
  "edit.down": "lineDown",
  "edit.deleteBack": "deleteBack",
  "edit.deleteForward": "deleteForward",
  "edit.deleteWordBack": "deleteWordBack",
  "edit.deleteWordForward": "deleteWordForward",
  "edit.killToStart": "killToStart",
  "edit.killToEnd": "killToEnd",
  "edit.yank": "yank",
  "edit.yankPop": "yankPop",
  "edit.upperWord": "upperWord",
  "edit.lowerWord": "lowerWord",
  "edit.capitalWord": "capitalWord",
  "edit.undo": "undo",
  "edit.redo": "redo",
};
