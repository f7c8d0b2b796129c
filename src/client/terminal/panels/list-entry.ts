import type { Role } from "../drawing/span.ts";

/** A short text in a column of a list. */
export interface ListCell {
  readonly text: string;
  /** Default: `dim`. */
  readonly role?: Role;
}

/** A column beside the names of a list. Where there is no room, columns are left out from the last one on. */
export interface ListColumn {
  readonly name: string;
  /** True: cells begin at its left edge, as words do. Default: they end at its right edge, as numbers do. */
  readonly isLeft?: true;
}

/** An entry of a list. */
export interface PanelEntry<Value> {
  readonly value: Value;
  /** Name, which the search looks at first. */
  readonly label: string;
  /** Facts beside the name; the search looks at them too. */
  readonly detail?: string;
  /** Short text at the right edge: a key, an age. */
  readonly mark?: string;
  /** One or two characters before the name: its kind or state. */
  readonly sign?: ListCell;
  /** Cells of the columns of the list, in their order. */
  readonly cells?: readonly ListCell[];
  /** True: its name is drawn as less important. Default: false. */
  readonly isDim?: boolean;
}

/** Entries of a list as far as they are known. */
export interface ListContent<Value> {
  readonly entries: readonly PanelEntry<Value>[];
  /** Sentence in place of entries, or below them: they are being read, or could not be. */
  readonly note?: string;
}
