import { expect, test } from "bun:test";
import { near } from "./near.ts";

test("[CLI-01] the known words that a mistyped one was meant to be are found, and none where nothing is near", () => {
  const known = ["model", "max-turns", "max-cost", "profile"];
  expect(
    ["modle", "modell", "max-turn", "prof", "MODEL", "frobnicate", "x", ""].map((word) => near(word, known)),
  ).toEqual([["model"], ["model"], ["max-turns"], ["profile"], ["model"], [], [], []]);
});

test("[TOOL-10] at most three are named, the likeliest first", () => {
  expect(near("read", ["Reads", "Dread", "Read", "Reader", "Bread"])).toEqual(["Read", "Reads", "Dread"]);
});
