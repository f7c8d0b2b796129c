import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { holds } from "../../../../test/support/property.ts";
import type { Theme } from "../drawing/paint.ts";
import { paint } from "../drawing/paint.ts";
import type { Role } from "../drawing/span.ts";
import { row, span } from "../drawing/span.ts";
import type { Rgb } from "./colour.ts";
import { CONTRAST_MIN, contrast, fixedColour, rgb } from "./colour.ts";
import { colourDepth } from "./colour-depth.ts";
import { colourTheme } from "./colour-theme.ts";
import { DARK, DARK_COLOUR_BLIND, LIGHT, LIGHT_COLOUR_BLIND } from "./palettes.ts";
import { sixteenColours } from "./sixteen.ts";
import type { ThemeChoiceOptions } from "./theme-choice.ts";
import { THEME_NAMES, ThemeChoice } from "./theme-choice.ts";

const PALETTES = [DARK, LIGHT, DARK_COLOUR_BLIND, LIGHT_COLOUR_BLIND];
const DEPTHS = [256, "all"] as const;
/** Backgrounds of widely used colour schemes, and the extremes. */
const BACKGROUNDS = {
  ...{ black: "000000", vscode: "1e1e1e", dracula: "282a36", "solarized dark": "002b36", nord: "2e3440" },
  ...{ gruvbox: "282828", white: "ffffff", "solarized light": "fdf6e3", latte: "eff1f5", grey: "777777" },
};
/** Roles whose background fills whole rows, on which every text may stand. */
const FILLS: readonly Role[] = ["selected", "prompt", "added", "removed"];
/** Roles with a background of their own. */
const OWN: readonly Role[] = ["addedWord", "removedWord", "match", "currentMatch"];

/** Returns the colour of SGR parameters. */
function colourOf(code = ""): Rgb {
  const numbers = code.split(";").map(Number);
  return numbers[1] === 5
    ? fixedColour(numbers[2] ?? 16)
    : [numbers[2] ?? 0, numbers[3] ?? 0, numbers[4] ?? 0];
}

/** Returns the texts of a theme that cannot be read, with their contrast. */
function unreadable({ roles, name }: Theme, background: Rgb): readonly string[] {
  const grounds = [
    ["background", background] as const,
    ...FILLS.map((fill) => [fill, colourOf(roles[fill]?.fill)] as const),
  ];
  const problems: string[] = [];
  const check = (what: string, one: Rgb, other: Rgb) => {
    const found = contrast(one, other);
    if (found < CONTRAST_MIN) problems.push(`${name}: ${what}: ${found.toFixed(2)}`);
  };
  for (const [role, colours] of Object.entries(roles)) {
    if (OWN.includes(role as Role)) check(role, colourOf(colours.foreground), colourOf(colours.background));
    else if (role !== "text")
      for (const [ground, colour] of grounds)
        check(`${role} on ${ground}`, colourOf(colours.foreground), colour);
  }
  return problems;
}

test("[TUI-08 TUI-11 bar Themes complaint 24] every text of every theme has a contrast of 4.5:1 on the backgrounds of widely used schemes, on selections and in diffs", () => {
  const problems = PALETTES.flatMap((palette) =>
    DEPTHS.flatMap((colours) =>
      Object.values(BACKGROUNDS).flatMap((hex) =>
        unreadable(colourTheme(palette, { colours, background: rgb(hex) }), rgb(hex)).map(
          (problem) => `${problem} (${colours} colours, on ${hex})`,
        ),
      ),
    ),
  );
  expect(problems).toEqual([]);
  const own = PALETTES.flatMap((palette) =>
    DEPTHS.flatMap((colours) => unreadable(colourTheme(palette, { colours }), palette.background)),
  );
  expect(own).toEqual([]);
});

test("[TUI-11 complaint 24] in all colours, the contrast holds on any background", async () => {
  const channel = fc.integer({ min: 0, max: 255 });
  await holds(
    fc.property(fc.tuple(channel, channel, channel), fc.constantFrom(...PALETTES), (background, palette) => {
      expect(unreadable(colourTheme(palette, { colours: "all", background }), background)).toEqual([]);
    }),
  );
});

test("[TUI-11 complaint 24] a theme keeps the colours of its palette where they can be read, and added and removed rows differ", () => {
  for (const palette of PALETTES)
    for (const colours of DEPTHS) {
      const { roles } = colourTheme(palette, { colours });
      expect(roles.added?.fill).not.toBe(roles.removed?.fill);
      expect(roles.added?.foreground).not.toBe(roles.removed?.foreground);
      const syntax = (["keyword", "string", "number", "name", "type", "comment"] as const).map(
        (role) => roles[role]?.foreground,
      );
      expect(new Set(syntax).size).toBeGreaterThanOrEqual(5);
    }
  const { roles } = colourTheme(DARK, { colours: "all", background: rgb("000000") });
  expect(roles.keyword?.foreground).toBe(`38;2;${DARK.inks.keyword.join(";")}`);
});

/** Matrices that show colours as people see them who have no red or no green cones (Machado and others, 2009). */
const SEEN = {
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
} as const;

test("[TUI-11 bar Themes] in the colour-blind themes, added and removed rows differ for people who see no red or no green", () => {
  const distance = (one: Rgb, other: Rgb) => Math.hypot(...one.map((value, at) => value - (other[at] ?? 0)));
  for (const palette of [DARK_COLOUR_BLIND, LIGHT_COLOUR_BLIND])
    for (const matrix of Object.values(SEEN)) {
      const seen = ([red, green, blue]: Rgb): Rgb => {
        const [r = 0, g = 0, b = 0] = matrix.map(([x, y, z]) => x * red + y * green + z * blue);
        return [r, g, b];
      };
      for (const colours of DEPTHS) {
        const { roles } = colourTheme(palette, { colours });
        const texts = [roles.added?.foreground, roles.removed?.foreground].map((code) =>
          seen(colourOf(code)),
        );
        const fills = [roles.added?.fill, roles.removed?.fill].map((code) => seen(colourOf(code)));
        const [text = [0, 0, 0], otherText = [0, 0, 0]] = texts;
        const [fill = [0, 0, 0], otherFill = [0, 0, 0]] = fills;
        expect(distance(text, otherText)).toBeGreaterThan(60);
        expect(distance(fill, otherFill)).toBeGreaterThan(25);
      }
    }
});

test("[TUI-11 bar Themes] on an unknown background the sixteen colours leave out those that white or black hides", () => {
  const codes = Object.values(sixteenColours("unknown").roles).flatMap(({ foreground, background }) => [
    ...(foreground === undefined ? [] : [foreground]),
    ...(background === undefined ? [] : [background]),
  ]);
  expect(codes.filter((code) => !["31", "32", "35"].includes(code))).toEqual([]);
});

const XTERM = { TERM: "xterm-256color" };

function choice(options: Partial<ThemeChoiceOptions> = {}): ThemeChoice {
  return new ThemeChoice({ environment: XTERM, hasColours: true, name: () => "auto", ...options });
}

test("[TUI-08 TUI-11 bar Themes complaint 24] auto is the terminal's sixteen colours until it names its background", () => {
  const themes = choice();
  expect(themes.theme.name).toBe("sixteen");
  themes.setBackground(rgb("002b36"));
  expect(themes.theme.name).toBe("dark");
  themes.setBackground(rgb("fdf6e3"));
  expect(themes.theme.name).toBe("light");
  const blind = choice({ name: () => "colour-blind" });
  blind.setBackground(rgb("000000"));
  expect(blind.theme.name).toBe("dark-colour-blind");
});

test("[TUI-11 bar Themes] NO_COLOR takes the colours of auto, and a theme that is named counts more", () => {
  const themes = choice({ hasColours: false });
  themes.setBackground(rgb("000000"));
  expect(themes.theme.name).toBe("none");
  expect(choice({ hasColours: false, name: () => "dark" }).theme.name).toBe("dark");
  expect(choice({ name: () => "unknown" }).chosen).toBe("auto");
});

test("[TUI-11] a terminal of sixteen colours gets its own, with the reason", () => {
  for (const name of THEME_NAMES) {
    const themes = choice({ environment: { TERM: "linux" }, name: () => name });
    themes.setBackground(rgb("000000"));
    expect(themes.theme.name).toBe(name === "none" ? "none" : "sixteen");
    expect(themes.limitation(name) === undefined).toBe(name === "none" || name === "sixteen");
    expect(themes.theme.hasLinks).toBe(false);
  }
});

test("[TUI-11] a preview shows a theme and changes nothing else", () => {
  const themes = choice({ name: () => "light" });
  themes.preview("dark");
  expect([themes.theme.name, themes.chosen]).toEqual(["dark", "light"]);
  themes.preview(undefined);
  expect(themes.theme.name).toBe("light");
});

test("[TUI-11] the number of colours is that which the environment names", () => {
  expect(colourDepth({ TERM: "xterm-256color" })).toBe(256);
  expect(colourDepth({ TERM: "xterm-256color", COLORTERM: "truecolor" })).toBe("all");
  expect(colourDepth({ TERM: "xterm-kitty" })).toBe("all");
  expect(colourDepth({ TERM: "xterm-256color", TERM_PROGRAM: "WezTerm" })).toBe("all");
  expect(colourDepth({ TERM: "tmux-256color", TMUX: "/tmp/t,1,0", TERM_PROGRAM: "WezTerm" })).toBe(256);
  expect(colourDepth({ TERM: "screen" })).toBe(256);
  expect(colourDepth({ TERM: "xterm" })).toBe(16);
  expect(colourDepth({})).toBe(16);
});

test("[TUI-11] a filled row has one background to its end, and in reverse no colour becomes a background", () => {
  const drawn = row([span("a", { role: "accent" }), span("b")], { fill: "selected" });
  const dark = colourTheme(DARK, { colours: "all" });
  const { selected, accent } = dark.roles;
  expect(paint(drawn, dark, 4)).toBe(
    [
      `${accent?.foreground};${selected?.fill}`,
      `${selected?.foreground};${selected?.fill}`,
      `${selected?.foreground};${selected?.fill}`,
    ]
      .map((codes, at) => `\u001b[${codes}m${["a", "b", "  "][at]}\u001b[0m`)
      .join(""),
  );
  expect(paint(drawn, sixteenColours("dark"), 3)).toBe(
    "\u001b[7ma\u001b[0m\u001b[7mb\u001b[0m\u001b[7m \u001b[0m",
  );
});
