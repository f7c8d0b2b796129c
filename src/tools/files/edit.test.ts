import { expect, test } from "bun:test";
import { readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { openToolRig } from "../../../test/support/tool-rig.ts";
import { editTool } from "./edit.ts";
import { multiEditTool } from "./multi-edit.ts";
import { replaceExact } from "./text/replace.ts";

/** Makes one edit of a file with this content; gives what the model is told and what the file is then. */
async function edited(content: string | Uint8Array, change: object, tool = editTool) {
  await using rig = openToolRig();
  const path = join(rig.root, "f.txt");
  writeFileSync(path, content);
  const told = await rig.text(tool, { file_path: "f.txt", ...change });
  return { told, file: readFileSync(path, "utf8"), bytes: [...readFileSync(path)] };
}

test("[TOOL-01] an exact text is replaced, and the lines around it are shown", async () => {
  const result = await edited("a\nb\nc\nd\ne\nf\ng\n", { old_string: "d\n", new_string: "D\nDD\n" });
  expect(result.file).toBe("a\nb\nc\nD\nDD\ne\nf\ng\n");
  expect(result.told).toBe("Edited f.txt (1 replacement):\n2\tb\n3\tc\n4\tD\n5\tDD\n6\te\n7\tf");
});

test("[TOOL-01] a text that stands more than once is refused with its lines, unless all are meant", async () => {
  const content = "x=1\ny=1\nz=2\n";
  const change = { old_string: "=1", new_string: "=9" };
  const refused = await edited(content, change);
  expect(refused).toMatchObject({
    told: "error: f.txt: old_string matches 2 times (lines 1, 2): add text around it, or set replace_all. Nothing was changed",
    file: content,
  });
  const all = await edited(content, { ...change, replace_all: true });
  expect(all.file).toBe("x=9\ny=9\nz=2\n");
  expect((await edited("aaa", { old_string: "aa", new_string: "b" })).told).toContain("matches 2 times");
});

test("[TOOL-01] an edit that finds nothing says what may be wrong", async () => {
  const content = "if (a) {\n    b();\n}\n";
  const told: string[] = [];
  for (const old_string of ["missing", "  if (a) {\n  b();", "1\tif (a) {\n2\t    b();", "", "b();"]) {
    told.push((await edited(content, { old_string, new_string: "b();" })).told);
  }
  expect(told).toEqual([
    "error: f.txt: old_string was not found. Nothing was changed",
    "error: f.txt: old_string was not found; with other spaces or line ends it stands at line 1. Nothing was changed",
    "error: f.txt: old_string was not found; leave out the line numbers that Read shows. Nothing was changed",
    "error: f.txt: old_string is empty. Nothing was changed",
    "error: f.txt: old_string and new_string are the same. Nothing was changed",
  ]);
});

test("[TOOL-01] line ends, byte order mark and encoding of the file are kept", async () => {
  const change = { old_string: "b\nc", new_string: "B\nC\nD" };
  expect((await edited("\uFEFFa\r\nb\r\nc\r\n", change)).file).toBe("\uFEFFa\r\nB\r\nC\r\nD\r\n");
  expect((await edited("a\r\nb\r\nc\nd\n", change)).file).toBe("a\r\nB\r\nC\r\nD\nd\n");
  expect((await edited("a\r\nb\nc\nd\n", change)).file).toBe("a\r\nB\nC\nD\nd\n");
  const utf16 = (text: string) => [0xff, 0xfe, ...Buffer.from(text, "utf16le")];
  const wide = await edited(Uint8Array.from(utf16("a😀b\nc")), change);
  expect(wide.bytes).toEqual(utf16("a😀B\nC\nD"));
});

test("[TOOL-01] what is not wholly text, or too large, is not edited", async () => {
  const change = { old_string: "a", new_string: "b" };
  const latin1 = Uint8Array.from([0x61, 0xdf, 0x0a]);
  const result = await edited(latin1, change);
  expect(result.told).toBe("error: f.txt is not wholly text (UTF-8, or UTF-16 with a mark)");
  expect(result.bytes).toEqual([...latin1]);
  expect((await edited("a\0", change)).told).toContain("is not wholly text");
  await using rig = openToolRig();
  writeFileSync(join(rig.root, "huge"), "a");
  truncateSync(join(rig.root, "huge"), 2 ** 31);
  expect(await rig.text(editTool, { file_path: "huge", ...change })).toBe(
    "error: huge has more than 10 MB: Edit cannot take it",
  );
  expect(await rig.text(editTool, { file_path: "none", ...change })).toBe(
    "error: There is no file none: Write creates one",
  );
});

test("[TOOL-01] several edits are made one on the other, or none of them", async () => {
  const content = "one\ntwo\nthree\n";
  const first = { old_string: "one", new_string: "1" };
  const done = await edited(
    content,
    { edits: [first, { old_string: "1\ntwo", new_string: "12" }] },
    multiEditTool,
  );
  expect(done).toMatchObject({
    told: "Edited f.txt (2 replacements):\n1\t12\n2\tthree",
    file: "12\nthree\n",
  });
  expect((await edited(content, { edits: [] }, multiEditTool)).told).toBe(
    "error: edits is empty: there is nothing to change",
  );
  const failed = await edited(
    content,
    { edits: [first, { old_string: "one", new_string: "x" }] },
    multiEditTool,
  );
  expect(failed).toMatchObject({
    told: "error: f.txt: edit 2 of 2: old_string was not found. Nothing was changed",
    file: content,
  });
});

test("[TOOL-01] changes far apart are shown apart, and a flood of them is cut short", async () => {
  const content = Array.from({ length: 300 }, (_, i) => `${i % 100 === 50 ? "X" : "line"} ${i + 1}\n`).join(
    "",
  );
  const apart = await edited(content, { old_string: "X", new_string: "Y", replace_all: true });
  expect(apart.told.split("\n").slice(0, 8)).toEqual([
    "Edited f.txt (3 replacements):",
    "49\tline 49",
    "50\tline 50",
    "51\tY 51",
    "52\tline 52",
    "53\tline 53",
    "…",
    "149\tline 149",
  ]);
  const flood = await edited(content, { old_string: "line", new_string: "row", replace_all: true });
  expect(flood.told.split("\n").length).toBe(42);
});

test("[TOOL-01] a replacement does what splitting and joining the text does", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "$", "&", "\n", "😀", "\\"), maxLength: 40 });
  const property = fc.property(
    text,
    text,
    text,
    fc.boolean(),
    (content, old_string, new_string, replace_all) => {
      const result = replaceExact(content, { old_string, new_string, replace_all });
      const parts = old_string === "" ? [] : content.split(old_string);
      if (result.kind === "refused") {
        const overlapping = content.indexOf(old_string) !== content.lastIndexOf(old_string);
        return parts.length < 2 || old_string === new_string || (overlapping && !replace_all);
      }
      const shown = result.regions.map(({ start, end }) => result.text.slice(start, end));
      return (
        result.text === parts.join(new_string) &&
        (replace_all || parts.length === 2) &&
        shown.every((stretch) => stretch === new_string)
      );
    },
  );
  fc.assert(property, { numRuns: 2_000 });
});

test("[TOOL-01 ENG-14] what Read shows of control characters and tags matches the characters that stand in the file", async () => {
  const content = "a\u001b[1mb\rc\nx \u200b y </untrusted> Vec<untrusted>\n";
  const change = {
    old_string: "a[hidden: U+001B][1mb[hidden: U+000D]c",
    new_string: "a[hidden: U+001B][1mB",
  };
  expect((await edited(content, change)).file).toBe(content.replace("b\rc", "B"));
  const tags = { old_string: "[hidden: U+200B] y [/untrusted> Vec[untrusted>", new_string: "z [/untrusted>" };
  expect((await edited(content, tags)).file).toBe("a\u001b[1mb\rc\nx z </untrusted>\n");
  const literal = "it says [hidden: U+001B] and \u001b\n";
  const second = { old_string: "says [hidden: U+001B]", new_string: "said [hidden: U+001B]" };
  expect((await edited(literal, second)).file).toBe("it said [hidden: U+001B] and \u001b\n");
  expect((await edited("a\u001bb", { old_string: "a\u001bb", new_string: "c" })).file).toBe("c");
});

test("[TOOL-01] a file with CR LF is edited as its LF form would be", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "\n"), maxLength: 30 });
  const property = fc.property(text, text, text, (content, old_string, new_string) => {
    const plain = replaceExact(content, { old_string, new_string, replace_all: true });
    const returns = (part: string) => part.replaceAll("\n", "\r\n");
    const result = replaceExact(returns(content), { old_string, new_string, replace_all: true });
    if (plain.kind === "refused" || result.kind === "refused") return plain.kind === result.kind;
    return result.text === (content.includes("\n") ? returns(plain.text) : plain.text);
  });
  fc.assert(property, { numRuns: 2_000 });
});

test("[TOOL-01] an edit of a file that is not there fails before anybody is asked for it", async () => {
  await using rig = openToolRig();
  const file_path = join(rig.root, "..", "nowhere.txt");
  const edits = [{ old_string: "a", new_string: "b" }];
  expect(editTool.plan({ file_path, ...edits[0] }, rig.context)).rejects.toThrow("There is no file");
  expect(multiEditTool.plan({ file_path, edits }, rig.context)).rejects.toThrow("There is no file");
});
