import { expect, test } from "bun:test";
import {
  GOLDEN_THEMES,
  goldenScreenPath,
  goldenScreens,
  goldenText,
} from "../../../../test/support/golden-screens.ts";
import { readSource } from "../../../../test/support/source.ts";
import type { Rgb } from "./colour.ts";
import { CONTRAST_MIN, contrast, fixedColour } from "./colour.ts";
import { colourTheme } from "./colour-theme.ts";

const DEPTHS = [256, "all"] as const;

/** A text of a screen with the SGR parameters that it is drawn with. */
interface Drawn {
  readonly text: string;
  readonly codes: readonly string[];
}

/** Returns the texts of a screen that are not blank. Each starts with all of its parameters (`paint`). */
function drawnTexts(screen: string): readonly Drawn[] {
  const [, ...parts] = `\u001b[0m${screen.replaceAll(/\u001b\]8;;[^\u001b]*\u001b\\/g, "")}`.split("\u001b[");
  return parts.flatMap((part) => {
    const end = part.indexOf("m");
    const text = part.slice(end + 1);
    if (text.trim() === "") return [];
    return [{ text, codes: part.slice(0, end).match(/[34]8;(?:5;\d+|2;\d+;\d+;\d+)|\d+/g) ?? [] }];
  });
}

/** Returns the colour that a parameter of 38 or 48 sets. */
function colourOf(code: string): Rgb {
  const [, kind, ...numbers] = code.split(";").map(Number);
  const [first = 0, second = 0, third = 0] = numbers;
  return kind === 5 ? fixedColour(first) : [first, second, third];
}

for (const golden of GOLDEN_THEMES)
  test(`[TUI-08 TUI-11 bar Themes] the screens of the theme ${golden.name} are those of its golden file; "npm run generate" writes it`, async () => {
    expect(await goldenText(golden)).toBe(readSource(goldenScreenPath(golden.name)));
  });

test("[TUI-08 TUI-11 bar Themes complaint 24] each text that is drawn has a contrast of 4.5:1 on what is behind it, and a colour of its own on a background of the theme", async () => {
  const problems = new Set<string>();
  for (const { name, palette } of GOLDEN_THEMES) {
    if (palette === undefined) continue;
    for (const colours of DEPTHS)
      for (const screen of await goldenScreens(colourTheme(palette, { colours })))
        for (const { text, codes } of drawnTexts(screen)) {
          const ink = codes.find((code) => code.startsWith("38;"));
          const fill = codes.find((code) => code.startsWith("48;"));
          const place = `${name}, ${colours} colours: ${text.trim()}`;
          // The terminal's own text on its own background is the person's choice.
          if (ink === undefined && fill !== undefined) problems.add(`${place}: no colour on a fill`);
          if (ink === undefined) continue;
          const ground = fill === undefined ? palette.background : colourOf(fill);
          const found = contrast(colourOf(ink), ground);
          if (found < CONTRAST_MIN) problems.add(`${place}: ${found.toFixed(2)}`);
        }
  }
  expect([...problems]).toEqual([]);
});

test("[TUI-11 bar Themes] the golden screens have every kind of text, so that each is looked at", async () => {
  for (const { name, theme, palette } of GOLDEN_THEMES) {
    const drawn = new Set(
      (await goldenScreens(theme)).flatMap(drawnTexts).map(({ codes }) => codes.join(";")),
    );
    const { roles } = theme;
    const missing = Object.entries(roles).filter(([, { foreground, background, fill }]) => {
      const own = [foreground, background, fill].filter((code) => code !== undefined);
      return own.length > 0 && ![...drawn].some((codes) => own.every((code) => codes.includes(code)));
    });
    expect({ name, missing: missing.map(([role]) => role) }).toEqual({ name, missing: [] });
    expect(palette === undefined || drawn.size > 15).toBe(true);
  }
});

test("[TUI-11 bar Themes] without colours no text has one, and the sixteen colours are the terminal's, with no background", async () => {
  const codesOf = async (name: string) => {
    const golden = GOLDEN_THEMES.find((each) => each.name === name);
    if (golden === undefined) throw new Error(`no golden theme is ${name}`);
    return new Set((await goldenScreens(golden.theme)).flatMap(drawnTexts).flatMap(({ codes }) => codes));
  };
  expect(
    [...(await codesOf("none"))].filter((code) => !["0", "1", "3", "4", "7", "9"].includes(code)),
  ).toEqual([]);
  const own = /^(?:0|1|2|3|4|7|9|3[0-7]|9[0-7])$/;
  expect([...(await codesOf("sixteen"))].filter((code) => !own.test(code))).toEqual([]);
});
