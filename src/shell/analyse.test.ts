import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { costMs } from "../../test/support/cost.ts";
import { holds } from "../../test/support/property.ts";
import { until } from "../../test/support/until.ts";
import { analyse } from "./analyse.ts";
import type { ShellWord } from "./analysis.ts";
import { SHELL_CHARACTERS_MAX } from "./analysis.ts";

function shown(word: ShellWord | undefined): string {
  switch (word?.kind) {
    case undefined:
      return "";
    case "known":
      return word.home ? `home:${word.value}` : word.value;
    case "glob":
      return `glob:${word.pattern}`;
    case "variables":
      return `$${word.names.join(",$")}`;
    case "unknown":
      return "?";
  }
}

/** Every command that is found, as its words. */
function commands(line: string): readonly string[] {
  return analyse(line).commands.map(({ name, args }) => [name, ...args].map(shown).join(" ").trim());
}

test("[CRED-03 LIFE-01] a command line, which may hold a secret, is not kept once nobody uses its analysis", async () => {
  const read = () => new WeakRef(analyse(`curl -H 'Key: ${crypto.randomUUID()}' https://example.org`));
  const seen = Array.from({ length: 20 }, read);
  expect(analyse("ls")).toBe(analyse("ls")); // read once, whoever asks about it in turn
  const last = [...seen, new WeakRef(analyse("ls -la"))];
  await until(
    "no analysis is left",
    () => {
      Bun.gc(true);
      return last.every((each) => each.deref() === undefined);
    },
    10_000,
  );
});

describe("every command of a line is found", () => {
  const LINES: readonly (readonly [string, readonly string[]])[] = [
    ["a; b & c | d |& e && f || g\nh", ["a", "b", "c", "d", "e", "f", "g", "h"]],
    ["(a; { b; }) | { c; }; ! d; time -p e", ["a", "b", "c", "d", "e"]],
    ["if a; then b; elif c; then d; else e; fi", ["a", "b", "c", "d", "e"]],
    ["while a; do b; done; until c; do d; done; for i in $(e) 1; do f; done", ["a", "b", "c", "d", "e", "f"]],
    ["for ((i=$(a); i<1; i++)); do b; done; select x in $(c); do d; done", ["a", "b", "c", "d"]],
    ["case $(a) in $(b)) c;; *) d;& esac", ["a", "b", "c", "d"]],
    ["f() { a; }; function g { b; } > $(c); coproc d; coproc N { e; }", ["a", "c", "b", "d", "e"]],
    ['a $(b `c $(d)`) "$(e)" <(f) >(g)', ["d", "c ?", "b ?", "e", "f", "g", "a ? ? ? ?"]],
    ["x=$(a) y=(1 $(b)) z[$(c)]=1", ["a", "b", "c", ""]],
    ["a ${x:-$(b)} ${y/$(c)/$(d)} ${z:$(e)} $(( $(f) + 1 ))", ["b", "c", "d", "e", "f", "a ? ? ? ?"]],
    ["cat <<A <<'B'\n$(a)\nA\n$(b)\nB\nc <<< $(d) > $(e)", ["a", "cat", "d", "e", "c"]],
    ["[[ -f $(a) && b == $(c) ]]; (( x[$(d)] ))", ["a", "c", "[[ ? b ?", "d", "(( d"]],
    ["# a\nb # c\n", ["b"]],
    ["r\\\nm 'a b' \"c d\" e\\ f $'g\\th' i'j'\"k\"", ["rm a b c d e f g\th ijk"]],
    [
      'a ~ ~/b \'~\' *.ts a[bc]? "*" $HOME "$PWD/x"',
      ["a home:~ home:~/b ~ glob:*.ts glob:a[bc]? * $HOME $PWD"],
    ],
    ['$c a; "$d"', ["$c a", "$d"]],
  ];
  for (const [line, found] of LINES) {
    test(`[PERM-04 S06 S07] ${JSON.stringify(line)}`, () => {
      expect(commands(line)).toEqual(found);
      expect(analyse(line).unsure).toEqual([]);
    });
  }
});

describe("a wrapper is looked through", () => {
  const LINES: readonly (readonly [string, readonly string[]])[] = [
    ["timeout -k 5 --foreground 10s nice -n 5 a -x", ["nice -n 5 a -x", "a -x"]],
    ["env -u A -- B=1 a", ["a"]],
    ["env A=1 a; env -S 'b c'", ["a", "env -S b c", "?"]],
    ["sudo -u me -E a; doas b; /usr/bin/nohup c", ["a", "doas b", "b", "/usr/bin/nohup c", "c"]],
    ["xargs -0 -n 1 -I{} a {}; xargs", ["a ? ?", "xargs", "echo ?"]],
    ["find . -exec a {} + -o -execdir b {} \\; -ok c \\;", ["a ?", "b ?", "c"]],
    [
      'bash -c \'a; b $1\' x; sh -ec "c"; bash -c "$d"; bash',
      ["a", "b $1", "sh -ec c", "c", "bash -c $d", "?", "bash", "?"],
    ],
    ["eval 'a;' b; trap 'c d' EXIT", ["a", "b", "trap c d EXIT", "c d"]],
    [
      "command a; command -v b; builtin c; exec -a n d; busybox e f",
      ["a", "command -v b", "builtin c", "c", "exec -a n d", "d", "busybox e f", "e f"],
    ],
    [
      "watch -n 5 a b; setsid -w c; stdbuf -oL d; ionice -c 3 e",
      ["a b", "setsid -w c", "c", "stdbuf -oL d", "d", "ionice -c 3 e", "e"],
    ],
  ];
  for (const [line, inner] of LINES) {
    test(`[S11] ${line}`, () => {
      expect(commands(line).slice(1)).toEqual([...inner]);
    });
  }

  test("[S11] three deep, and says whether it changes anything about what it starts", () => {
    const { commands } = analyse("timeout 5 env A=1 nice rm x");
    expect(commands.map(({ wraps, wrappedBy, name }) => [shown(name), wraps, wrappedBy])).toEqual([
      ["timeout", "plain", undefined],
      ["env", "opaque", "timeout"],
      ["nice", "plain", "env"],
      ["rm", undefined, "nice"],
    ]);
  });
});

describe("where a command runs", () => {
  const at = (line: string) => {
    const { commands, redirections } = analyse(line);
    const last = commands.at(-1)?.directories;
    return redirections.length > 0 ? redirections.at(-1)?.directories : last;
  };
  const LINES: readonly (readonly [string, readonly string[] | undefined])[] = [
    ["a", [""]],
    ["cd x && a", ["x"]],
    ["cd x; a", ["x", ""]],
    ["cd x || exit; a", ["x", ""]],
    ["cd /x && cd ../y && a", ["/y"]],
    ["cd ~/x && a", ["~/x"]],
    ["cd && a", ["~"]],
    ["(cd x && b) && a", [""]],
    ["cd x | a", [""]],
    ["cd x & a", [""]],
    ["cd .cinch && echo > settings", [".cinch"]],
    ["pushd x && a", ["x"]],
    ["popd; a", undefined],
    ["cd - && a", undefined],
    ["cd $x && a", undefined],
    ["cd a/../b && c", undefined],
    ["CDPATH=/etc; cd x && a", undefined],
    ["HOME=/etc cd && a", undefined],
    ["eval 'cd x'; a", ["x", ""]],
    ["bash -c 'cd x'; a", [""]],
    ['eval "$x"; a', undefined],
    ["for i in 1 2; do a; cd x; done", undefined],
    ["if a; then cd x; fi; b", ["x", ""]],
    ["f() { cd x; }; f; a", undefined],
    ["env -C x a", undefined],
    ["! cd x || a", ["x"]],
    ["! cd x && a", [""]],
    ["! ! cd x && a", ["x"]],
    ["! ! ! cd x || a", ["x"]],
    ["{ cd x && b; } && a", ["x", ""]],
  ];
  for (const [line, directories] of LINES) {
    test(`[S14] ${line}`, () => {
      const found = at(line);
      expect(found === undefined ? found : [...found].sort()).toEqual(
        directories === undefined ? undefined : [...directories].sort(),
      );
    });
  }
});

test("[S05 S06 S13] text that bash may read in another way is reported with its position", () => {
  const LINES = [
    "ls\rrm x",
    "ls\u00a0-la",
    "ls # \u202e",
    "a\u2028b",
    "a\u0000b",
    "a @(b|c)",
    'a $"b"',
    "a;;b",
    "a )",
    "cat <<X\nno end",
    "shopt -s extglob; a",
    "shopt -s expand_aliases; alias a=b",
    "set -o posix; a",
    "enable -n echo",
    "hash -p /bin/rm ls",
    "{fd}>x a",
    "a ${ b; }",
  ];
  expect(LINES.filter((line) => analyse(line).unsure.length === 0)).toEqual([]);
  expect(analyse("ls -l\rrm x").unsure).toEqual([
    { at: 5, why: "it holds the character U+000D, which is not what it looks like" },
  ]);
  const fine = [
    "a 'é ü' # ö",
    "set -euo pipefail; a",
    "shopt -s nullglob; a",
    "a !x",
    "a {}",
    "a stash@{0}",
    'a "b\\\nc"',
    "a\t b",
  ];
  expect(fine.filter((line) => analyse(line).unsure.length > 0)).toEqual([]);
});

test("[S05] an expansion that is more than a plain variable is never a known word", () => {
  const words = [
    "${v@P}",
    "${v:=x}",
    "${!v}",
    "${v:-x}",
    "${v//a/b}",
    "${#v}",
    "${v^}",
    "$((1))",
    "{a,b}",
    "{1..3}",
    "a{b,c}d",
    "~user",
    "x=~/y",
    '"$v"x*',
    "$v*",
    "$'\\u0072m'",
    "$'\\cx'",
    "[[:alpha:]]*",
  ];
  for (const word of words) expect([word, ...commands(`echo ${word}`)]).toEqual([word, "echo ?"]);
});

test("[S09] a line over a limit is reported, in time", async () => {
  const lines = [
    `a ${"x".repeat(SHELL_CHARACTERS_MAX)}`,
    "cat<<A;".repeat(13_000),
    "a;".repeat(40_000),
    `${"(".repeat(5_000)}a${")".repeat(5_000)}`,
    `${"$(".repeat(3_000)}a${")".repeat(3_000)}`,
    `${"{ ".repeat(500)}a${"; }".repeat(500)}`,
    `${"env ".repeat(500)}a`,
    `${"eval ".repeat(2_000)}a`,
  ];
  for (const line of lines) {
    const { overLimit, unsure } = analyse(line);
    expect([line.slice(0, 20), overLimit !== undefined || unsure.length > 0]).toEqual([
      line.slice(0, 20),
      true,
    ]);
    expect(await costMs(() => analyse(line), 400)).toBeLessThan(400); // far above what it takes
  }
});

test("[PERM-04] property: no text makes it throw, and it ends", async () => {
  const piece = fc.constantFrom(
    ..."$( ) ${ } ` \" ' \\ ; & | < > << <<- <<< >( <( (( )) [[ ]] { } ! # ~ * ? [ ] = $((  a b 1 - \n \t \r \0 é \u2028 \ud800 if then fi for do done case esac in function EOF cd env bash -c eval xargs find -exec {} + x= $x ${x} $'\\x41' {a,b}".split(
      " ",
    ),
  );
  await holds(
    fc.property(fc.array(piece, { maxLength: 40 }), fc.constantFrom("", " "), (pieces, blank) => {
      const analysis = analyse(pieces.join(blank));
      return Array.isArray(analysis.commands);
    }),
    3_000,
  );
  await holds(
    fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) =>
      Array.isArray(analyse(text).commands),
    ),
    1_000,
  );
});
