import { messageOf } from "../../../base/errors.ts";
import { shortened } from "../../../base/text/text.ts";
import { neutraliseLine } from "../../../view/terminal/terminal-text.ts";
import type { ScreenFrame, Size, TerminalScreenOptions } from "../screen/screen.ts";

type Handlers = Pick<TerminalScreenOptions, "draw" | "input" | "finished">;

/**
 * Returns handlers that never throw. A picture that cannot be drawn is the last one, with a sentence in its last row; a
 * key that fails does nothing but show a sentence until the next key. The client continues (TUI-10).
 */
export function guarded({ draw, input, finished }: Handlers): Handlers {
  let last: ScreenFrame = { rows: [] };
  let failedKey: string | undefined;
  return {
    draw(size) {
      try {
        last = draw(size);
      } catch (thrown) {
        return withSentence(last, `cinch could not draw this: ${messageOf(thrown)}`, size);
      }
      return failedKey === undefined ? last : withSentence(last, failedKey, size);
    },
    finished(size, isLast) {
      try {
        return finished(size, isLast);
      } catch (thrown) {
        failedKey = `cinch could not print this: ${messageOf(thrown)}`;
        return [];
      }
    },
    input(got) {
      failedKey = undefined;
      try {
        input(got);
      } catch (thrown) {
        failedKey = `cinch could not do this: ${messageOf(thrown)}`;
      }
    },
  };
}

function withSentence(
  { rows, cursor }: ScreenFrame,
  sentence: string,
  { columns, rows: height }: Size,
): ScreenFrame {
  const shown = Array.from({ length: Math.max(0, height - 1) }, (_, at) => rows[at] ?? "");
  const frame = { rows: [...shown, shortened(neutraliseLine(sentence), columns - 1)] };
  return cursor === undefined ? frame : { ...frame, cursor };
}
