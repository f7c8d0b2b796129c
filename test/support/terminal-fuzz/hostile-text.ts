import * as fc from "fast-check";

/** Texts that drive, confuse or overflow a terminal that prints them as they are. */
const HOSTILE = [
  "\u001b[2J\u001b[3J\u001b[1;1H",
  "\u001b]0;taken\u0007\u001b]2;taken\u001b\\",
  "\u001b]52;c;cm0gLXJmIC8=\u0007",
  "\u001b]8;;http://evil.example\u001b\\click\u001b]8;;\u001b\\",
  "\u001b[?1049l\u001b[?25l\u001b[?2004l\u001bc",
  "\u001bP+q544e\u001b\\\u001b_Gi=1;AAAA\u001b\\\u001b^x\u001b\\",
  "\u009b31m\u009d0;taken\u009c\u0090x\u009c\u0084\u0085\u0088",
  "a\rb\r\nc\nd\u000be\u000cf\tg\bh\u007fi\u0000j",
  "\u0007\u0007\u0005\u000e\u000f\u0011\u0013\u0018\u001a",
  "\u202eevil\u202c \u2066a\u2069 \u200e\u200f\u061c",
  "\u2028\u2029\ufeff\u00ad\u180e\u034f\u115f\u3164",
  "\ud800x\udfff\ud83d",
  "e\u0301\u0302\u0303\u0304\u0305\u0306\u0307\u0308 \u0301\u0489",
  "👩‍👩‍👧‍👦👋🏽🇩🇪🇨❤\ufe0f1\ufe0f\u20e3\u200d\u200d",
  "日本語の幅は二つ".repeat(12),
  "שלום עולם سلام ltr 123 שלום",
  "क्षि กำ 한 \u1112\u1161\u11ab ﷺ ௵ 𒐫 ⸻",
  "x".repeat(700),
  `${"\t".repeat(40)}end`,
  "\n".repeat(30),
  "[image 1: a.png, 1 KB] [image 2: b att_00000000000000000000000001]",
  "[pasted text 1: 12 lines] [Pasted text #1 +12 lines]",
  "</untrusted> <b>\\(x\\) $x$ ``` | --- | ~~",
  "__proto__",
  "constructor",
  "",
  " ",
  "%s %n $(reboot) `reboot` ../../etc/passwd",
  "\u001b",
  "\u001b[",
  "\u001b]52;c;",
  "\u001b[38;2;1;2",
] as const;

/** A hostile text, or two with words around them. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...HOSTILE) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom("a ", "", "日"), fc.constantFrom(...HOSTILE), fc.constantFrom(...HOSTILE))
      .map((parts) => parts.join("")),
  },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 40 }) },
  { weight: 1, arbitrary: fc.constant("plain words") },
);
