import { expect, test } from "bun:test";
import fc from "fast-check";
import { InputChunks } from "./chunks.ts";
import { inputOf, inputsOf } from "./input.ts";

const key = (data: string) => {
  const input = inputOf(data);
  return input?.kind === "key" ? input.key : undefined;
};

test.each([
  ["ctrl+j", "\n", "a new line in every terminal"],
  ["enter", "\r", "plain"],
  ["shift+enter", "\u001b[13;2u", "kitty"],
  ["shift+enter", "\u001b[27;2;13~", "modifyOtherKeys"],
  ["alt+enter", "\u001b\r", "legacy"],
  ["alt+enter", "\u001b[13;3u", "kitty"],
  ["ctrl+enter", "\u001b[13;5u", "kitty"],
  ["ctrl+enter", "\u001b[27;5;13~", "modifyOtherKeys"],
  ["escape", "\u001b", "legacy"],
  ["escape", "\u001b[27u", "kitty"],
  ["ctrl+c", "\u0003", "legacy"],
  ["ctrl+c", "\u001b[99;5u", "kitty"],
  ["ctrl+c", "\u001b[27;5;99~", "modifyOtherKeys"],
  ["ctrl+z", "\u001a", "legacy"],
  ["shift+tab", "\u001b[Z", "legacy"],
  ["shift+tab", "\u001b[9;2u", "kitty"],
  ["alt+b", "\u001bb", "legacy"],
  ["alt+f", "\u001bf", "legacy"],
  ["alt+b", "\u001b[98;3u", "kitty"],
  ["alt+backspace", "\u001b\u007f", "legacy"],
  ["ctrl+left", "\u001b[1;5D", "xterm"],
  ["alt+w", "\u001b[27;3;119~", "modifyOtherKeys"],
  ["ctrl+_", "\u001b[27;6;95~", "modifyOtherKeys"],
  ["alt+_", "\u001b[27;4;95~", "modifyOtherKeys"],
  ["f1", "\u001bOP", "xterm"],
  ["pageUp", "\u001b[5~", "xterm"],
])("[TUI-08 complaint 19] %s is read from %j (%s)", (name, data) => {
  expect(key(data)).toBe(name);
});

test("[TUI-08] a released key and an answer that nobody asked for mean nothing", () => {
  for (const data of [
    "\u001b[97;1:3u",
    "\u001b[13;2:3u",
    "\u001b[?62;22c",
    "\u001b[?1u",
    "\u001b[5;10R",
    "\u001b[?2026;2$y",
    "\u001b]10;rgb:0000/0000/0000\u001b\\",
    "\u001b]11;no colour\u0007",
    "\u001b[?1004;0$y",
    "\u001bP>|xterm(390)\u001b\\",
    "\u001b_Gi=1;OK\u001b\\",
    "",
  ])
    expect({ data, input: inputOf(data) }).toEqual({ data, input: undefined });
});

test("[TUI-08 complaint 24 complaint 25] the background that a terminal names is read, and that it will report the focus", () => {
  const background = (data: string) => {
    const input = inputOf(data);
    return input?.kind === "background" ? input.colour : undefined;
  };
  expect(background("\u001b]11;rgb:0000/2b2b/3636\u001b\\")).toEqual([0, 43, 54]);
  expect(background("\u001b]11;rgb:ff/f/800\u0007")).toEqual([255, 255, 128]);
  expect(background("\u001b]11;rgba:ffff/0000/0000/8000\u0007")).toEqual([255, 0, 0]);
  expect(inputOf("\u001b[?1004;1$y")).toEqual({ kind: "focus", isFocused: true });
});

test("[TUI-08] focus and the mouse are read", () => {
  expect(inputOf("\u001b[I")).toEqual({ kind: "focus", isFocused: true });
  expect(inputOf("\u001b[O")).toEqual({ kind: "focus", isFocused: false });
  expect(inputOf("\u001b[<65;3;4M")).toMatchObject({
    kind: "mouse",
    type: "wheel",
    wheel: 1,
    row: 3,
    column: 2,
  });
});

test("[TUI-08] typed text is typed, in every writing", () => {
  for (const text of ["a", "A", "ß", "日", "é", "👍"])
    expect(inputOf(text)).toEqual({ kind: "key", key: text, text });
  expect(inputOf(" ")).toEqual({ kind: "key", key: "space", text: " " });
  expect(inputOf("\u001b[97u")).toEqual({ kind: "key", key: "a", text: "a" });
  for (const text of ["A", "Ä", "{", "}", "_", "|", "~", '"', "😀"])
    expect(inputOf(`\u001b[27;2;${text.codePointAt(0)}~`)).toEqual({ kind: "key", key: text, text });
  expect(inputOf("\u001b[27;2;32~")).toEqual({ kind: "key", key: "space", text: " " });
  expect(inputOf("\u001b[27;66;65~")).toEqual({ kind: "key", key: "A", text: "A" });
});

test("[TUI-08 complaint 20] a line end in the middle of a chunk is no Enter: the chunk is a paste", () => {
  const chunks = new InputChunks();
  expect(chunks.read("one\rtwo")).toBe("\u001b[200~one\rtwo");
  expect(chunks.endsAfterMs).toBe(100);
  expect(chunks.flush()).toBe("\u001b[201~");
  expect(chunks.endsAfterMs).toBeUndefined();
  expect(chunks.read("o\r")).toBe("o\r");
  expect(chunks.read("\u001b[A\rx")).toBe("\u001b[A\rx");
});

test("[TUI-08 complaint 20] answers of the terminal that come with a paste do not make its line ends Enter keys", () => {
  for (const answer of [
    "\u001b]11;rgb:0000/0000/0000\u0007",
    "\u001b[?62;c",
    "\u001b[?1004;1$y",
    "\u001b[I",
  ]) {
    const chunks = new InputChunks();
    expect(chunks.read(`${answer}one\rtwo\r`)).toBe(`${answer}\u001b[200~one\rtwo\r`);
    expect(chunks.flush()).toBe("\u001b[201~");
    expect(chunks.read(`one\rtwo${answer}`)).toBe(`${answer}\u001b[200~one\rtwo`);
    expect(chunks.read(answer)).toBe(`\u001b[201~${answer}`);
  }
});

test("[TUI-08 complaint 20] an Enter that came with a whole line is one, unless more follows at once", () => {
  const chunks = new InputChunks();
  expect(chunks.read("go on\r")).toBe("go on");
  expect(chunks.endsAfterMs).toBe(50);
  expect(chunks.flush()).toBe("\r");
  expect(chunks.endsAfterMs).toBeUndefined();
  expect(chunks.read("first\r") + chunks.read("second\r") + chunks.flush()).toBe(
    "first\u001b[200~\rsecond\r\u001b[201~",
  );
  expect(chunks.read("go\r") + chunks.read("\u001b[A")).toBe("go\r\u001b[A");
});

test("[TUI-08 complaint 20] the last line of a paste without marks sends nothing, however its chunks are cut", () => {
  const chunks = new InputChunks();
  expect(chunks.read("one\rtwo\rth")).toBe("\u001b[200~one\rtwo\rth");
  expect(chunks.read("ree\r")).toBe("ree\r");
  expect(chunks.flush()).toBe("\u001b[201~");
  const long = `${"word ".repeat(60)}\r`;
  expect(chunks.read(long)).toBe(`\u001b[200~${long}`);
  expect(chunks.read("\u001b[A")).toBe("\u001b[201~\u001b[A");
  expect(chunks.read("\r")).toBe("\r");
});

test("[TUI-08 complaint 20] a paste without its end mark is ended once, and the next keys are keys again", () => {
  const chunks = new InputChunks();
  expect(chunks.read("\u001b[200~one\rtwo")).toBe("\u001b[200~one\rtwo");
  expect(chunks.endsAfterMs).toBe(2_000);
  expect(chunks.flush()).toBe("\u001b[201~");
  expect(chunks.flush()).toBe("");
  expect(chunks.read("x")).toBe("x");
});

test("[TUI-08 complaint 20] a marked paste stays as it is, wherever its chunks are cut", () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z\r\n]{0,20}$/), fc.nat(32), (text, cut) => {
      const all = `\u001b[200~${text}\u001b[201~`;
      const chunks = new InputChunks();
      const read = chunks.read(all.slice(0, cut)) + chunks.read(all.slice(cut));
      // The library drops the beginning of a mark before a whole one.
      expect(read.replace(/^\u001b\[?(?=\u001b\[200~)/, "")).toBe(all);
      expect(chunks.endsAfterMs).toBeUndefined();
    }),
  );
});

test("[TUI-08 complaint 20] a paste whose first mark is cut, or lost in part, sends nothing", () => {
  for (let cut = 1; cut < 6; cut += 1)
    for (const isLate of [false, true]) {
      const all = "\u001b[200~one\rtwo\r\u001b[201~";
      const chunks = new InputChunks();
      const first = chunks.read(all.slice(0, cut));
      const dropped = isLate ? chunks.flush() : "";
      const rest = chunks.read(all.slice(cut));
      const isWhole = !isLate && first + rest === all;
      expect([cut, dropped, isWhole || rest]).toEqual([cut, "", isWhole || all]);
      expect(chunks.endsAfterMs).toBeUndefined();
      expect(chunks.read("x")).toBe("x");
    }
});

test("[TUI-08 complaint 20] a paste without marks that comes right behind an Escape key sends nothing", () => {
  const chunks = new InputChunks();
  expect(chunks.read("\u001b")).toBe("\u001b");
  expect(chunks.read("one\rtwo\r")).toBe("\u001b[200~one\rtwo\r");
});

test("[TUI-01] an answer or a report of the mouse that is cut anywhere arrives whole, and its rest is never typed", () => {
  for (const answer of [
    "\u001b]11;rgb:1e1e/1E1E/1e1e\u001b\\",
    "\u001b]11;rgba:0000/0000/0000/ffff\u0007",
    "\u001b[?62;22c",
    "\u001b[?1004;1$y",
    "\u001b[?997;1n",
    "\u001b[<0;105;31M",
  ])
    for (let cut = answer.startsWith("\u001b]") ? 4 : 3; cut < answer.length; cut += 1) {
      const chunks = new InputChunks();
      expect([cut, chunks.read(`x${answer.slice(0, cut)}`)]).toEqual([cut, "x"]);
      expect(chunks.endsAfterMs).toBe(1_000);
      expect(chunks.read(`${answer.slice(cut)}y`)).toBe(`${answer}y`);
      expect(chunks.endsAfterMs).toBeUndefined();
      expect(chunks.read(answer.slice(0, cut)) + chunks.flush() + chunks.read("typed")).toBe("typed");
    }
});

test("[TUI-01 TUI-10] keys behind the beginning of an answer, whose rest never comes, are keys", () => {
  for (const [cut, keys] of [
    ["\u001b[<35;1", "丁"],
    ["\u001b[<35;1", "go"],
    ["\u001b]11;rgb:ff", "hello"],
    ["\u001b[?62;", "\u001b[A"],
  ] as const) {
    const chunks = new InputChunks();
    expect([cut, chunks.read(cut)]).toEqual([cut, ""]);
    expect([cut, chunks.read(keys)]).toEqual([cut, keys]);
  }
});

test("[TUI-01] keys that begin like an answer are not held", () => {
  for (const pressed of ["\u001b", "\u001b[", "\u001b]", "\u001b[1;5", "\u001b]52;c;", "\u001b[?1;2x"]) {
    const chunks = new InputChunks();
    expect(chunks.read(pressed)).toBe(pressed);
  }
});

test("[TUI-08] no input throws", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (data) => {
      inputOf(data);
    }),
  );
});

test("[SES-15] two Escapes that come at once are two keys", () => {
  const pressed = { kind: "key", key: "escape" } as const;
  expect(inputsOf("\u001b\u001b")).toEqual([pressed, pressed]);
  expect(inputsOf("\u001b")).toEqual([pressed]);
  expect(inputsOf("\u001b[999z")).toEqual([]);
});

test("[TUI-08] Home and End are read as tmux and rxvt send them", () => {
  const keyOf = (data: string) => inputsOf(data).map((input) => (input.kind === "key" ? input.key : ""));
  expect(["\u001b[1~", "\u001b[7~", "\u001b[H"].flatMap(keyOf)).toEqual(["home", "home", "home"]);
  expect(["\u001b[4~", "\u001b[8~", "\u001b[F"].flatMap(keyOf)).toEqual(["end", "end", "end"]);
});
