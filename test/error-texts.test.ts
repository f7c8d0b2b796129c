import { expect, test } from "bun:test";
import { TEXTS } from "../src/base/reason-texts.ts";
import { filesUnder, isTest, readSource } from "./support/source.ts";

/** Texts of the specification, which stay as they are. `test/pins.test.ts` compares them word by word. */
const SPECIFIED: ReadonlySet<string> = new Set([
  "HandshakeRequired",
  "TurnInProgress",
  "PermissionDenied",
  "PermissionTimeout",
  "TokenExpired",
  "TokenRevoked",
  "MCPServerSHA256Mismatch",
  "MCPServerUnavailable",
  "HookHashChanged",
  "HookTimeout",
  "RateLimited",
  "BashCancelledMidCommand",
  "NonInteractiveAckRefused",
  "HandshakeVersionMismatch",
]);

const OURS = Object.entries(TEXTS).filter(([reason]) => !SPECIFIED.has(reason));

/** Words of a sentence, so that it is read once. */
const WORDS_MAX = 25;

/** A sentence, a field that ends with its own, or something to type, which has no full stop after it. */
const END = /(?:[.)]|<[a-z_-]+>)$/;
const TYPED = /: (?:cinch|gcloud)(?: [^.;()]*)?\.?$|: (?:POST|GET) \S+$|: --[a-z-]+\.?$/;

/** Fields with a name that a person or a program has given. They stand in single quotes, if no command holds them. */
const BARE_NAME = /(?<!['/:]|tasks remove |approve )<(?:name|prompt|plugin|host|namespace)>(?!')/;

/**
 * Phrases with a plainer word: "again", "continue", "trusted", "accepted", "corrected". Recorded turns hold a few texts
 * with "go on".
 */
const DIALECT =
  /\b(?:anew|is told|told by|mend(?:ed)?|relied on|be had|put that right|those there are|what there is|does not count|let go|is none of)\b/i;

const RULES: Readonly<Record<string, (text: string) => boolean>> = {
  "begins with a capital letter, a name in quotes, a command or a field": (text) => /^[A-Z'/<]/.test(text),
  "ends with a full stop, a field, or something to type without a full stop": (text) =>
    TYPED.test(text) ? !text.endsWith(".") : END.test(text),
  "has names in single quotes": (text) => !BARE_NAME.test(text),
  [`has at most ${WORDS_MAX} words a sentence`]: (text) =>
    text.split(/(?<=[.?!])\s+/).every((sentence) => sentence.split(/\s+/).length <= WORDS_MAX),
  "has plain words": (text) => !DIALECT.test(text),
};

for (const [rule, isKept] of Object.entries(RULES))
  test(`[BUS-03 DOC-01] the text of every error ${rule}`, () => {
    expect(OURS.flatMap(([reason, text]) => (isKept(text) ? [] : [`${reason}: ${text}`]))).toEqual([]);
  });

test("[BUS-03] what breaks a rule about texts of errors would be caught", () => {
  const wrong = [
    "the file is gone.",
    "The file is gone",
    "There is no agent <name>.",
    `It failed${" again".repeat(WORDS_MAX)}.`,
    "Mend it.",
  ];
  const broken = wrong.map((text) =>
    Object.values(RULES).flatMap((isKept, at) => (isKept(text) ? [] : [at])),
  );
  expect(broken).toEqual([[0], [1], [2], [3], [4]]);
  expect(Object.values(RULES).every((isKept) => isKept("Log in again: cinch creds login mcp:<name>"))).toBe(
    true,
  );
});

/** A phrase such as "it is no list" inside a literal; "there is no list" and "is no longer" are plain. */
const IS_NO = /^(?!\s*(?:\*|\/)).*["'`}].*(?<![Tt]here )\bis no (?!longer\b|model server\b)\w/;

test("[BUS-03 DOC-01] texts in src say that a value is not a list, and not that it is no list", () => {
  const files = filesUnder("src", "**/*.ts").filter(
    (file) => !isTest(file) && !file.startsWith("src/conformance/"),
  );
  const found = files.flatMap((file) =>
    readSource(file)
      .split("\n")
      .flatMap((line, at) => (IS_NO.test(line.replace(/ \/[/*].*/, "")) ? [`${file}:${at + 1}`] : [])),
  );
  expect(found).toEqual([]);
  expect(IS_NO.test('  throw misuse("it is no list");')).toBe(true);
  expect(IS_NO.test('  throw misuse("there is no list; it is no longer kept");')).toBe(false);
});
