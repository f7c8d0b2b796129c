import { expect, test } from "bun:test";
import type { TypedPiece } from "./bracketed-paste.ts";
import { BracketedPaste, isBurst, PASTE_CHARACTERS_MAX } from "./bracketed-paste.ts";

const STREAM = "ab\u001b[A\u001b[200~todo\r1\r2\u001b[201~c\u001b[200~\u001b[201~\r";
const PIECES: readonly TypedPiece[] = [
  { kind: "keys", text: "ab\u001b[A" },
  { kind: "paste", text: "todo\r1\r2" },
  { kind: "keys", text: "c\r" },
];

test("[PERM-14 TUI-01] keys and pasted texts are distinguished, wherever the chunks are cut", () => {
  for (let first = 0; first <= STREAM.length; first += 1) {
    for (let second = first; second <= STREAM.length; second += 1) {
      const paste = new BracketedPaste();
      const chunks = [STREAM.slice(0, first), STREAM.slice(first, second), STREAM.slice(second)];
      expect(merged(chunks.flatMap((chunk) => paste.read(chunk)))).toEqual(PIECES);
      expect(paste.isWaiting).toBe(false);
    }
  }
});

test("[PERM-14 TUI-01] an Escape key is held only until nothing follows, and so is a paste without an end", () => {
  const paste = new BracketedPaste();
  expect(paste.read("\u001b")).toEqual([]);
  expect([paste.isWaiting, paste.isPasting]).toEqual([true, false]);
  expect(paste.flush()).toEqual([{ kind: "keys", text: "\u001b" }]);
  expect(paste.read("\u001b[200~one\u001b[20")).toEqual([]);
  expect(paste.isPasting).toBe(true);
  expect(paste.flush()).toEqual([{ kind: "paste", text: "one\u001b[20" }]);
  expect(paste.read("\r")).toEqual([{ kind: "keys", text: "\r" }]);
});

test("[TUI-01] a paste has a limit", () => {
  const paste = new BracketedPaste();
  const [piece] = paste.read(`\u001b[200~${"x".repeat(PASTE_CHARACTERS_MAX + 5)}\u001b[201~`);
  expect(piece?.text.length).toBe(PASTE_CHARACTERS_MAX);
});

test("[PERM-14] lines that were read at once were pasted, a line that was entered was not", () => {
  expect(["todo:\r1\r2 apples\r", "1\r2", "1\r\r\r"].map(isBurst)).toEqual([true, true, true]);
  expect(["1\r", "1\r\n", "\r", "npm run", "\u001b[A"].map(isBurst)).toEqual([
    false,
    false,
    false,
    false,
    false,
  ]);
});

function merged(pieces: readonly TypedPiece[]): readonly TypedPiece[] {
  const joined: TypedPiece[] = [];
  for (const piece of pieces) {
    const last = joined.at(-1);
    if (last?.kind === "keys" && piece.kind === "keys")
      joined[joined.length - 1] = { kind: "keys", text: last.text + piece.text };
    else joined.push(piece);
  }
  return joined;
}
