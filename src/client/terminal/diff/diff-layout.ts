/** `auto`: side by side from 120 columns on. */
export type DiffLayout = "auto" | "unified" | "side";

/** Columns from which on `auto` draws side by side (TUI-05). */
const SIDE_COLUMNS_MIN = 120;

/** Returns true if a diff of so many columns is drawn side by side. */
export function isSideBySide(layout: DiffLayout, columns: number): boolean {
  return layout === "side" || (layout === "auto" && columns >= SIDE_COLUMNS_MIN);
}

/** Returns the layout that a diff of so many columns is switched to. */
export function otherLayout(layout: DiffLayout, columns: number): DiffLayout {
  return isSideBySide(layout, columns) ? "unified" : "side";
}
