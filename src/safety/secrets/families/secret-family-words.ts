import type { SearchPosition } from "../scan.ts";
import { classOfName, looksRandom, mayBePassword } from "../secret-value.ts";
import type { Family, SecretMatch } from "./secret-family.ts";
import { NO, UNDECIDED } from "./secret-family.ts";

const VALUE_CHARACTERS_MAX = 512;

/** Endings of options and words that are followed by a blank and a value. */
const ENDINGS: readonly string[] = ["token", "key", "secret", "password", "passwd", "passphrase"];
const OPTION = /(?:^|[\s"'`=])--([A-Za-z][A-Za-z0-9-]{0,40})?$/;
const NAME_BEFORE = /(?:^|[\s"'`(])[A-Za-z-]{0,16}$/;
/** Shortest value after a word of a sentence: longer than words. */
const SAID_CHARACTERS_MIN = 24;

/**
 * A value after a name and a blank: `--token VALUE`, `login me password VALUE`, `ENV API_TOKEN VALUE`, `password
 * 'VALUE'`, `<apiKey>VALUE</apiKey>`. The name stays, the value is redacted.
 */
export const WORD_FAMILIES: readonly Family[] = [
  option(),
  shortOption(),
  passwordFile(),
  cookie(),
  login(),
  quotedPassword(),
  named(),
  element(),
];

function option(): Family {
  return {
    kind: "secret",
    prefixes: ENDINGS.map((name) => `${name} `),
    anywhere: true,
    match(place, prefix) {
      const behind = place.behind(64);
      const start = place.at + prefix.length;
      const option = OPTION.exec(behind);
      if (option !== null) return valueBehind(place, start, `${option[1] ?? ""}${prefix.slice(0, -1)}`);
      const isSaid = (prefix === "token " || prefix === "secret ") && NAME_BEFORE.test(behind);
      return isSaid ? randomValueBehind(place, start) : NO;
    },
  };
}

/** Matches `add-authtoken VALUE`, `the token VALUE`: without a sign between, only random values. */
function randomValueBehind(place: SearchPosition, start: number): SecretMatch {
  if (!/^[A-Za-z0-9]/.test(place.text[start] ?? "0")) return NO;
  const match = valueBehind(place, start, "key");
  return match.kind === "secret" && match.to - match.from < SAID_CHARACTERS_MIN ? NO : match;
}

const GIVEN_BEFORE =
  /(?:[ \t](?:-u|-U|--user|--username|--login)(?:[ \t=]{0,2}[^\s=]{1,64})|\bsshpass)[ \t]{1,4}$/;

/**
 * `-p VALUE` after `-u USER`, `sshpass -p VALUE`, `mysql -u USER -pVALUE`, `redis-cli -a VALUE`, `openssl … -k
 * VALUE`: the command before it determines the meaning of the letter.
 */
function shortOption(): Family {
  return {
    kind: "password",
    prefixes: ["-p", "-a ", "-k "],
    match(place, prefix) {
      const start = place.at + prefix.length;
      if (place.text.length === start && !place.complete) return UNDECIDED;
      const isApart = prefix === "-p" && /[ \t]/.test(place.text[start] ?? "");
      if (!COMMANDS[isApart ? "-p " : prefix]?.test(place.behind(96))) return NO;
      return valueBehind(place, isApart ? start + 1 : start, "password");
    },
  };
}

const COMMANDS: Readonly<Record<string, RegExp>> = {
  "-p ": GIVEN_BEFORE,
  "-p": /\b(?:mysql|mysqldump|mysqladmin|mariadb)\b[^\n]{0,80}[ \t]$/,
  "-a ": /\bredis-cli\b[^\n]{0,80}[ \t]$/,
  "-k ": /\bopenssl\b[^\n]{0,80}[ \t]$/,
};

/** Matches a `Cookie` header from the first random value on, usually that of the session. */
function cookie(): Family {
  return {
    kind: "cookie",
    prefixes: ["Cookie: ", "cookie: "],
    anywhere: true,
    match({ text, at, complete }, prefix) {
      const start = at + prefix.length;
      const near = text.slice(start, start + 4 * VALUE_CHARACTERS_MAX);
      if (!/[\r\n"']/.test(near) && near.length < 4 * VALUE_CHARACTERS_MAX && !complete) return UNDECIDED;
      const [line = ""] = near.split(/[\r\n"']/, 1);
      let from = start;
      for (const pair of line.split("; ")) {
        const [, name, value = ""] = /^([\w.-]{1,64}=)(\S*)$/.exec(pair) ?? [];
        if (name === undefined) return NO;
        if (value.length >= 20 && looksRandom(value, "secret"))
          return { kind: "secret", from: from + name.length, to: start + line.length };
        from += pair.length + 2;
      }
      return NO;
    },
  };
}

/** Matches a line of `.pgpass`: `host:port:database:user:password`. */
function passwordFile(): Family {
  return {
    kind: "password",
    prefixes: [":5432:", ":5433:", ":6432:"],
    anywhere: true,
    match({ text, at, complete }, prefix) {
      const start = at + prefix.length;
      const near = text.slice(start, start + VALUE_CHARACTERS_MAX);
      const [fields, password = ""] = /^[^\s:/@]{1,64}:[^\s:/@]{1,64}:(\S{6,128})(?=\s|$)/.exec(near) ?? [];
      const open = /^[^\s]*$/.test(near) && near.length < VALUE_CHARACTERS_MAX;
      if (open && !complete) return UNDECIDED;
      if (fields === undefined || !mayBePassword(password, false)) return NO;
      return { kind: "secret", from: start + fields.length - password.length, to: start + fields.length };
    },
  };
}

/** Matches `machine HOST login NAME password VALUE`, on one line or several. */
function login(): Family {
  return {
    kind: "password",
    prefixes: ["password "],
    match(place, prefix) {
      if (!/\blogin[ \t]+\S{1,64}\s{1,16}$/.test(place.behind(96))) return NO;
      return valueBehind(place, place.at + prefix.length, "password");
    },
  };
}

function quotedPassword(): Family {
  return {
    kind: "password",
    prefixes: ["password '", 'password "', "passwd '", 'passwd "'],
    match: (place, prefix) => valueBehind(place, place.at + prefix.length - 1, "password"),
  };
}

const NAME = /^[ \t]{0,4}([A-Za-z_/][\w./:-]{1,80})[ \t]{1,4}(?=[^\s=])/;

/** Instructions that set a variable or a key without a sign between. */
function named(): Family {
  return {
    kind: "secret",
    prefixes: ["ENV ", "setenv ", "configure set ", "config set "],
    match(place, prefix) {
      const start = place.at + prefix.length;
      const ahead = place.text.slice(start, start + 96);
      const [gap, name = ""] = NAME.exec(ahead) ?? [];
      if (gap === undefined) {
        const open = ahead.length < 96 && /^[ \t]{0,4}[\w./:-]*[ \t]{0,4}$/.test(ahead);
        return open && !place.complete ? UNDECIDED : NO;
      }
      return valueBehind(place, start + gap.length, name.replace(/^.*[:/]/, ""));
    },
  };
}

/** Matches a tag named like a secret. */
function element(): Family {
  return {
    kind: "secret",
    prefixes: [">"],
    anywhere: true,
    likely: mayCloseTag,
    match(place, prefix) {
      const name = /<([A-Za-z][\w.:-]{0,60})$/.exec(place.behind(64))?.[1];
      if (name === undefined) return NO;
      const start = place.at + prefix.length;
      const { text, complete } = place;
      const near = text.slice(start, start + VALUE_CHARACTERS_MAX);
      const end = near.search(/[<\r\n]/);
      if (end < 0) return near.length < VALUE_CHARACTERS_MAX && !complete ? UNDECIDED : NO;
      return near[end] === "<" ? judged(near.slice(0, end), name, { start, quoted: true }) : NO;
    },
  };
}

/** Decides by the last letter: most signs close no tag, and most tags have other names. */
function mayCloseTag(text: string, at: number, floor: number): boolean {
  if (at - floor < 4) return true;
  const code = text.charCodeAt(at - 1) | 32;
  return (
    (code === D || code === N || code === T || code === Y || code === E) &&
    TAG_ENDS.test(text.slice(at - 4, at))
  );
}

const [D, E, N, T, Y] = [100, 101, 110, 116, 121];
const TAG_ENDS = /(?:word|oken|cret|key|rase)$/i;

/** Judges the word or the quoted text at a position by the name before it. */
function valueBehind({ text, complete }: SearchPosition, at: number, name: string): SecretMatch {
  const near = text.slice(at, at + VALUE_CHARACTERS_MAX);
  const quote = /^["']/.exec(near)?.[0];
  const from = quote === undefined ? 0 : 1;
  const end = near
    .slice(from)
    .search(quote === undefined ? /[\s"'`,;|&<>()]/ : quote === '"' ? /["\r\n]/ : /['\r\n]/);
  if (end < 0 && near.length < VALUE_CHARACTERS_MAX && !complete) return UNDECIDED;
  const body = end < 0 ? near.slice(from) : near.slice(from, from + end);
  return judged(body, name, { start: at + from, quoted: quote !== undefined });
}

function judged(
  body: string,
  name: string,
  { start, quoted }: { readonly start: number; readonly quoted: boolean },
): SecretMatch {
  const found = classOfName(name);
  if (found === undefined || found === "login" || body.startsWith("-")) return NO;
  const isSecret = found === "password" ? mayBePassword(body, quoted) : looksRandom(body, found);
  return isSecret ? { kind: "secret", from: start, to: start + body.length } : NO;
}
