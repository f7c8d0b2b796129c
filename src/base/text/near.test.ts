import { expect, test } from "bun:test";
import { costMs } from "../../../test/support/cost.ts";
import { hintFor, nearestWords } from "./near.ts";

test("[CLI-01] the known words that a mistyped one was meant to be are found, and none where nothing is near", () => {
  const known = ["model", "max-turns", "max-cost", "profile"];
  expect(
    ["modle", "modell", "max-turn", "prof", "MODEL", "frobnicate", "x", ""].map((word) =>
      nearestWords(word, known),
    ),
  ).toEqual([["model"], ["model"], ["max-turns"], ["profile"], ["model"], [], [], []]);
});

test("[TOOL-10] at most three are named, the likeliest first", () => {
  expect(nearestWords("read", ["Reads", "Dread", "Read", "Reader", "Bread"])).toEqual([
    "Read",
    "Reads",
    "Dread",
  ]);
});

test("[CLI-01 REL-06] a text that is too long to be a name is like none, and costs nothing to compare", async () => {
  const known = Array.from({ length: 256 }, (_, at) => "x".repeat(60) + at);
  expect(nearestWords("x".repeat(257), ["x".repeat(257), "x".repeat(300)])).toEqual([]);
  expect(nearestWords(`${"x".repeat(60)}7`, ["y".repeat(1_000_000), ...known])[0]).toBe(`${"x".repeat(60)}7`);
  expect(await costMs(() => nearestWords("x".repeat(10_000), known), 100)).toBeLessThan(100);
});

test("[CLI-01] an unknown word is answered with the nearest known words, or else with all of them", () => {
  expect(hintFor("modle", ["model", "profile"])).toBe("Did you mean model?");
  expect(hintFor("frobnicate", ["model", "profile"])).toBe("There are: model, profile.");
  expect(hintFor("frobnicate", [])).toBe("There are: none.");
});
