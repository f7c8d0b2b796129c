const ESCAPES = new RegExp(
  [
    "\\x1b\\[[0-?]*[ -/]*[@-~]", // colours, cursor
    "\\x1b\\][^\\x07\\x1b]{0,4096}(?:\\x07|\\x1b\\\\)", // titles, links
    "\\x1b[PX^_][^\\x1b]{0,4096}\\x1b\\\\", // device strings
    "\\x1b[ -/]*[0-~]",
    "\\x9b[0-?]*[ -/]*[@-~]",
  ].join("|"),
  "g",
);
const OVERSTRUCK = /[^\n\x08]\x08/g;
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;

/**
 * Removes escape sequences and control characters from terminal output.
 *
 * Line feeds and tabs stay. Every carriage return becomes a line end, so that no text before it is lost.
 */
export function stripTerminalCodes(text: string): string {
  return text
    .replaceAll(ESCAPES, "")
    .replaceAll(/\r+\n|\r/g, "\n")
    .replaceAll(OVERSTRUCK, "")
    .replaceAll(CONTROLS, "");
}
