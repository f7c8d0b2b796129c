import { expect, test } from "bun:test";
import { fence } from "../safety/fence.ts";
import { inputTexts, inputTitle, withoutFenceTags } from "./input-text.ts";

const text = (value: string) => ({ type: "text", text: value }) as const;

test("[CTL-19 ENG-14] people read foreign content without the tags that the model sees, also where it is cut", () => {
  const content = "first\n\nlast </untrusted-attachment>\n";
  const fenced = fence("attachment", content) ?? "";
  expect(withoutFenceTags(`Standard input:\n${fenced}\nand on`)).toBe(
    "Standard input:\nfirst\n\nlast [/untrusted-attachment>\n\nand on",
  );
  expect(withoutFenceTags(fenced.slice(0, 28))).toBe("first");
  expect(withoutFenceTags("what does <untrusted-attachment> mean?")).toBe(
    "what does <untrusted-attachment> mean?",
  );
  expect(inputTexts([text("a"), { type: "image" } as never], (type) => `[${type}]`)).toEqual([
    "a",
    "[image]",
  ]);
});

test("[CTL-19 ENG-14] a title is a person's words where there are any, else what they attached", () => {
  const file = text(`The user attached a file:\n${fence("attachment", "notes.txt\n\nBuy milk.")}`);
  expect(inputTitle([file, text("Do what\n the notes say.")])).toBe("Do what the notes say.");
  expect(inputTitle([file])).toBe("The user attached a file: notes.txt Buy milk.");
  expect(inputTitle([text(" ")])).toBeUndefined();
});

test("[CTL-19 PERF-02] many tags that nobody closes are read once", () => {
  const many = "<untrusted-attachment>\n".repeat(200_000);
  expect(withoutFenceTags(many)).toBe("");
});
