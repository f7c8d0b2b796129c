import { head } from "../../base/text/text.ts";
import { showHidden } from "../hidden.ts";
import { FormSearch } from "./form-search.ts";
import { INJECTION_SHAPES } from "./injection-shapes.ts";
import { otherSpellings } from "./injection-spellings.ts";

/** Text that looks like an attempt to command a model. */
export interface InjectionFinding {
  readonly kind: InjectionKind;
  /** Description for the person who decides. */
  readonly what: string;
  /** The matching text, shortened; foreign. */
  readonly excerpt: string;
}

export type InjectionKind =
  | "hidden"
  | "breakout"
  | "override"
  | "mode"
  | "consent"
  | "secret"
  | "concealed"
  | "encoded";

export const FINDINGS_MAX = 20;
const EXCERPT_UNITS_MAX = 120;
/** Maximum of an encoded run that is decoded. */
const DECODED_UNITS_MAX = 4_096;

/**
 * Searches known forms of prompt injection. It helps a person to review a file and is no boundary: other text is not
 * safe, and nothing is allowed because of its result alone (TOFU-03).
 *
 * The time is proportional to the text. Returns at most `FINDINGS_MAX` findings.
 */
export function scanForInjection(text: string): readonly InjectionFinding[] {
  const shown = showHidden(text);
  const plain = normal(text);
  const { all, spaced, compact: unspaced } = searches();
  const read = matches(plain, all);
  const known = new Set(read.map(({ excerpt }) => excerpt));
  const decoded = [
    ...encoded(plain).flatMap((text) => matches(text, all)),
    ...otherSpellings(plain).flatMap(({ text, compact }) => matches(text, compact ? unspaced : spaced)),
  ].filter(({ excerpt }) => !known.has(excerpt)); // a spelling changes some words and leaves the others
  const findings = [
    ...hidden(shown),
    ...read,
    ...decoded.map((found) => ({ ...found, kind: "encoded" as const })),
  ];
  return findings.slice(0, FINDINGS_MAX);
}

interface Pattern {
  readonly kind: InjectionKind;
  readonly what: string;
  readonly forms: readonly string[];
}

// Gaps are bounded and stay in one sentence, so that a pattern reads each position a bounded number of times.
const GAP = "[^.!?\\n]{0,40}";
const ABANDON =
  "(?:ignor(?:e|ing)|disregard(?:ing)?|forget(?:ting)?|overlook(?:ing)?|override|bypass|do not follow|don't follow)";
const ORDERS =
  "(?:instructions?|directives?|rules|guidelines|prompts?|orders|commands|directions|policies|restrictions|safeguards)";
const BEFORE =
  "(?:previous|prior|preceding|earlier|above|foregoing|former|existing|original|initial|system|safety)";
const SECRETS =
  "(?:\\.env\\b|\\.netrc|\\.ssh\\b|id_(?:rsa|ed25519|ecdsa)|\\.aws\\b|credentials?\\b|secrets?\\b|api[ _-]?keys?|(?:access |auth |owner |capability )?tokens?\\b(?! count| limit| usage| budget)|tokens?\\.json|private keys?|system prompt|passwords?|environment variables|output of ['\"]?env)";

/** Unambiguous words, which are searched in other spellings too. */
const ABANDONING: Pattern = {
  kind: "override",
  what: "it tells the model to drop its instructions",
  forms: [
    `\\b${ABANDON}\\b${GAP}\\b${BEFORE} (?:\\w+ ){0,3}?${ORDERS}`,
    `\\b${ABANDON} (?:\\w+ ){0,3}?(?:your|all|any|these|those) (?:\\w+ ){0,3}?${ORDERS}\\b(?! (?:from|of|in|for|on) (?:the|a|this) (?:linter|compiler|editor))`,
    `\\b(?:ignore|disregard|forget|overlook) (?:\\w+ ){0,2}?(?:the above|everything|all that|all of that|all you|what you|the earlier one|the user|the previous|the (?:\\w+ )?and (?:state|say|print|output|tell|write)|the function and|the resume and|previous)\\b`,
    `\\bever(?:y)?th?ing you have been told\\b`,
    `\\bregardless of (?:your |all |any )?previous (?:tasks|instructions)`,
    `\\bnewer system prompt\\b|\\bnew system prompt\\b|\\boutrank the user\\b`,
  ],
};

const OWN: readonly Pattern[] = [
  ABANDONING,
  {
    kind: "override",
    what: "it tells the model, in another language, to drop its instructions",
    forms: [
      `\\b(?:ignor(?:ez|e|a|ar|ieren|iere)|oubliez|olvida|olvide|esque[cç]a|dimentica|vergiss|vergessen sie|missachte[n]?)\\b${GAP}(?:instru|anweisung|consigne|istruzion|regel|r[eè]gle|regla|regra|funktion|fonction|p[aá]gina|tabla|tableau)`,
      "(?:игнорир|забудь|не обращай)\\S{0,6}.{0,30}(?:инструкц|указан|правил)",
      "(?:忽略|无视|無視|忘记|忘記).{0,20}(?:指令|指示|说明|說明|规则|規則|提示)|(?:指示|命令).{0,10}(?:無視|忘れ)|無視して",
      "(?:지시|명령|지침).{0,10}무시",
      "(?:تجاهل|انس).{0,20}(?:التعليمات|الأوامر)",
      "(?:निर्देश|आदेश).{0,20}(?:अनदेखी|अनदेखा|नज़रअंदाज)",
    ],
  },
  {
    kind: "breakout",
    what: "it forges the markers of a conversation or of a section",
    forms: [
      "[<\\[(&＜‹]\\W{0,3}(?:lt;)?\\W{0,2}untrus(?:<!--.{0,20}?-->)?ted-",
      "<\\|(?:im_start|im_end|system|user|assistant|endoftext|start_header_id|eot_id)\\|?>?|\\[/?inst\\]|<</?sys>>",
      "</?(?:function_calls|invoke|antml|tool_use|tool_result|trusted[\\w-]{0,20}|operator|system(?:[_-](?:prompt|reminder|message))?)\\b[^>]{0,80}>",
      "\\n\\n(?:human|user|assistant|system): .{0,400}\\n\\n(?:human|user|assistant|system): ",
    ],
  },
  {
    kind: "mode",
    what: "it claims a mode or role without rules",
    forms: [
      "\\b(?:god|system|developer|dev|maintenance|override|jailbreak|dan|admin|sudo|unrestricted|security override) mode\\b(?! (?:is a|in (?:chrome|android|vite|react|webpack)))[^.\\n]{0,40}",
      "\\bdo anything now\\b|\\bno special filtering\\b|\\bwithout any (?:restrictions|filters)\\b",
      "\\byou are now (?:a |an |in |the )?[\\w ]{0,30}(?:bot|mode|unrestricted|free)\\b|\\bimmerse yourself into the role\\b",
      "\\bas your (?:creator|developer|boss|owner)\\b|\\bi(?:'| a)?m (?:your (?:developer|creator|boss|administrator)|the maintainer of your|god)\\b|\\bi am (?:god|your)\\b",
    ],
  },
  {
    kind: "consent",
    what: "it claims or forges a permission",
    forms: [
      "\\b(?:permission|approval|confirmation|consent)s?(?: (?:prompts?|requests?|steps?|dialogs?))?\\b[^.\\n]{0,40}\\b(?:already (?:answered|given|granted)|answer it yourself|with yes|allow always)",
      "\\b(?:already|pre-?) ?(?:approved|agreed|authori[sz]ed)\\b(?=[^.\\n]{0,40}(?:\\.sh|run|execute|first|\\)))|\\bagreed to everything\\b",
      "\\b(?:turns?|turning|switch(?:es)?) off (?:all )?(?:confirmations?|permissions?|approvals?|the sandbox)\\b|\\b(?:the )?sandbox is (?:disabled|off)\\b",
      "\\b(?:no|never need|without|skip(?:s|ping)?) (?:any |the |an )?(?:approval|confirmation)s?(?: step)?\\b(?= (?:step|in any|for (?:shell|commands)|and)|[.,;]| who)",
      "\\byou (?:may|can|should|must) skip (?:the )?(?:confirmation|approval|permission)",
      '\\banswers? (?:all )?permission prompts?\\b|\\ballow_all ?= ?true|"allow": ?\\["bash\\(\\*\\)"\\]|\\bas approved: \\*',
      "\\bdo not ask again for this session\\b",
    ],
  },
  {
    kind: "secret",
    what: "it wants secrets shown or sent",
    forms: [
      `\\b(?:paste|upload|send|post|exfiltrate|e-?mail|leak|forward|transmit|include|print|reveal|output|dump|pass)\\b${GAP}${SECRETS}${GAP}\\b(?:to https?:|to [\\w.+-]{1,64}@|into|in the report|and commit|as the parameter|\\[/inst)`,
      `\\b(?:read|open|cat|print|reveal|show|paste)\\b${GAP}(?:~/\\.(?:ssh|aws|netrc|config/cinch)|\\.netrc|your (?:full |entire )?system prompt)`,
      "\\bexfiltrate\\b(?! ?(?:data|secrets)? ?(?:risk|attack|attempt|path|prevention))[^.\\n]{0,20}\\b(?:secret|token|credential|data|env)",
      "https?://[^\\s\"')]{0,200}(?:[?&#=@](?:[\\w.-]{1,40}=)?\\$[{(]?[a-z_]{3,40}|/\\$[{(]?[a-z_]{0,40}(?:key|token|secret|password))|https?://\\$\\{?[a-z_]{3,40}\\}?@|\\$\\(cat ~?/?[^)]{1,80}\\)[^\\n]{0,60}\\.[a-z]{2,}|!\\[[^\\]]{0,40}\\]\\(https?://[^)]{0,120}[?&]\\w{1,20}=[a-z0-9_]{0,40}(?:env|token|secret|key|base64)",
      "\\b(?:share|confirm|give me|tell me|print|what(?:'s| is|'re| are)|write) (?:me |with me |us )?(?:what )?(?:your|our system|the system|the confidential|the secret) ?(?:'s )?(?:password|passwords|secret key|secret code|passphrase|passcode|database|string)\\b",
      "\\b(?:your|our system) password\\b|\\bpassword for (?:our|the|this) (?:system|mode)\\b|\\b(?:confirm|share|about|write) the (?:password|passphrase)\\b",
      "\\b(?:mot de passe|passwort|contraseña|senha|password)\\b ?\\?|パスワード|비밀번호",
      "\\btoken in clickable form\\b|\\bthe token is in your environment\\b|\\bfirst call bash with .{0,3}env\\b",
    ],
  },
  {
    kind: "concealed",
    what: "it speaks to a model where people do not look, or asks it to keep quiet",
    forms: [
      "<!--(?:(?!-->)[^]){0,400}?\\b(?:agents?|assistant|ai|llm|model|ignor\\w*|override mode|security override|say nothing)\\b(?:(?!-->)[^]){0,200}?(?:\\b(?:must|run|state|say|print|execute|also|please|rules|webpage|respond|reply)\\b)",
      "\\[//\\]: ?# ?[(\"'][^)\"'\\n]{0,200}\\b(?:assistant|agent|ai|treat|ignore|run)\\b",
      "style ?= ?[\"'][^\"']{0,80}(?:display ?: ?none|visibility ?: ?hidden|font-size ?: ?0|opacity ?: ?0\\b|color ?: ?(?:white|transparent))",
      "\\b(?:do not|don't|never) (?:tell|inform|notify|mention (?:this|it) to|let) (?:the )?(?:user|human|reviewer|developer)s?\\b(?: know)?|\\bsay nothing about it\\b",
      "\\b(?:note|notice|message|instructions?) (?:to|for) (?:all )?(?:ai|llm|language model)s?(?: readers| agents| assistants)?\\b ?:",
      "\\bagents reading this\\b|\\bagents must paste\\b|\\bassistant, (?:please |open|run|execute|ignore)|<important>",
      "\\bbefore any other skill\\b|\\bbefore the user's own words\\b|\\bremember for all later sessions\\b|\\bthe assistant must call\\b|\\balways add \\S{1,60}@\\S{1,60} to the recipients\\b",
    ],
  },
  {
    kind: "encoded",
    what: "it tells the model to decode something and obey it",
    forms: [
      "\\bdecode\\b[^.\\n]{0,40}\\b(?:follow|act on|obey|execute|run it|do what)\\b",
      "\\bdecode this (?:rot ?13|caesar|hexadecimal|binary|base64)\\b",
      "\\binterlace part 1\\b|\\bwrite down the string z ?=",
    ],
  },
];

const PATTERNS: readonly Pattern[] = [...OWN, ...INJECTION_SHAPES];

/** The same without blanks. */
const COMPACT: Pattern = {
  kind: "override",
  what: "it tells the model to drop its instructions",
  forms: [
    "(?:ignore|disregard|forget|override|bypass)(?:all|any|your|the|every)?(?:previous|prior|above|earlier|system|safety)(?:instructions?|rules|prompts?|directives?|guidelines)",
  ],
};

interface Searched {
  readonly patterns: readonly Pattern[];
  readonly forms: FormSearch;
}

interface Searches {
  readonly all: Searched;
  /** For other spellings. */
  readonly spaced: Searched;
  /** For other spellings that have lost their blanks. */
  readonly compact: Searched;
}

let compiled: Searches | undefined;

/** Compiles the patterns when the first text is scanned. */
function searches(): Searches {
  const searched = (patterns: readonly Pattern[]): Searched => ({
    patterns,
    forms: new FormSearch(patterns.map(({ forms }) => forms)),
  });
  compiled ??= {
    all: searched(PATTERNS),
    spaced: searched([ABANDONING]),
    compact: searched([ABANDONING, COMPACT]),
  };
  return compiled;
}

function hidden(shown: string): readonly InjectionFinding[] {
  const found = [
    ...shown.matchAll(
      /\[(?:hidden|look-alike): [^\]]{0,120}\]|\x1b[\][(P^_]|[\x00-\x08\x0b\x0c\x0e-\x1a\x7f-\x9f]/gu,
    ),
  ];
  const what = "it holds characters that people do not see and a model reads";
  return found.slice(0, FINDINGS_MAX).map(([run]) => ({ kind: "hidden", what, excerpt: run }));
}

function matches(text: string, { patterns, forms }: Searched): readonly InjectionFinding[] {
  const found = forms.search(text, FINDINGS_MAX);
  return patterns.flatMap(({ kind, what }, index) =>
    (found[index] ?? []).map((match) => ({ kind, what, excerpt: head(match.trim(), EXCERPT_UNITS_MAX) })),
  );
}

/** Normalises text that reads alike: look-alike widths, typographic quotes, invisible characters, runs of blanks. */
function normal(text: string): string {
  return text
    .normalize("NFKC")
    .replaceAll(/\p{Cf}|[\u{fe00}-\u{fe0f}]|[\u{e0100}-\u{e01ef}]/gu, "")
    .replaceAll(/[‘’‛`´]/g, "'")
    .replaceAll(/[“”„]/g, '"')
    .replaceAll(/[^\S\n]+/g, " ")
    .replaceAll(/(?<=\S)\n(?=[a-z])/g, " "); // a sentence that was broken into lines
}

/** Returns the decoded words of Base64, binary digits or hexadecimal pairs in the text. */
function encoded(text: string): readonly string[] {
  const base64 = [...text.matchAll(/[A-Za-z0-9+/]{32,}={0,2}/g)].map(([run]) => fromBase64(run));
  const binary = [...text.matchAll(/(?:[01]{8}\s){7,}[01]{8}/g)].map(([run]) => fromCodes(run, 2));
  const hex = [...text.matchAll(/(?:[0-9a-f]{2}\s){11,}[0-9a-f]{2}/gi)].map(([run]) => fromCodes(run, 16));
  return [...base64, ...binary, ...hex].filter((decoded) => /^[\t\n\r\x20-\x7e]+$/.test(decoded)).map(normal);
}

function fromBase64(run: string): string {
  return Buffer.from(head(run, DECODED_UNITS_MAX), "base64").toString("latin1");
}

function fromCodes(run: string, radix: number): string {
  const codes = head(run, DECODED_UNITS_MAX).split(/\s+/);
  return codes.map((code) => String.fromCharCode(Number.parseInt(code, radix))).join("");
}
