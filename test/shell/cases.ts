import { readFileSync } from "node:fs";
import { join } from "node:path";
import { chance } from "../support/chance.ts";
import { ROOT } from "../support/source.ts";

/** One command line that was made of another, by wrapping, quoting, spacing or nesting it. */
export interface ShellCase {
  readonly command: string;
  /** The command that it was made of. */
  readonly from: string;
}

export function commandsOf(name: "traps" | "safe" | "agent-commands"): readonly string[] {
  return rowsOf(name).map(({ cmd }) => cmd);
}

export interface CommandRow {
  readonly cmd: string;
  readonly source?: string;
  readonly n?: number;
}

export function rowsOf(name: "traps" | "safe" | "agent-commands"): readonly CommandRow[] {
  const text = readFileSync(join(ROOT, "test/data/commands", `${name}.jsonl`), "utf8");
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as CommandRow);
}

type Change = (command: string) => string;

/** Around a whole line, whatever it holds: each of them lets the line run. */
const AROUND: readonly Change[] = [
  (line) => `( ${line}\n)`,
  (line) => `{ ${line}\n}`,
  (line) => `true && {\n${line}\n}`,
  (line) => `false || (${line}\n)`,
  (line) => `true; ${line}`,
  (line) => `true\n\n${line}\ntrue`,
  (line) => `# a comment; rm x\n${line}`,
  (line) => `if true; then ${line}\nfi`,
  (line) => `if ${line}\nthen :; fi`,
  (line) => `for i in 1; do ${line}\ndone`,
  (line) => `while ${line}\ndo break; done`,
  (line) => `until ! { ${line}\n}; do break; done`,
  (line) => `case a in b) ;; a|c) ${line}\n;; esac`,
  (line) => `f() { ${line}\n}; f`,
  (line) => `function g { ${line}\n}\ng`,
  (line) => `( ( ${line}\n) )`,
  (line) => `echo $( ${line}\n)`,
  (line) => `echo "a$( ${line}\n)b"`,
  (line) => `x=$( ${line}\n)`,
  (line) => `cat <( ${line}\n)`,
  (line) => `[[ -n $( ${line}\n) ]]`,
  (line) => `[ "$( ${line}\n)" = b ]`,
  (line) => `echo "\${unset_one:-$( ${line}\n)}"`,
  (line) => `: \${unset_two:=$( ${line}\n)}`,
  (line) => `cat <<'Q1'\nnothing $(rm y)\nQ1\n${line}`,
  (line) => `{ ${line}\n} | cat`,
  (line) => `true | { ${line}\n}`,
  (line) => `{ ${line}\n} 2>&1`,
  (line) => `{ ${line}\n} & wait`,
  (line) => `! { ${line}\n}`,
  (line) => `time { ${line}\n}`,
  (line) => `eval ${quoted(line)}`,
  (line) => `bash -c ${quoted(line)}`,
  (line) => `bash --norc -ec ${quoted(line)} name arg`,
  (line) => `env A=1 bash -c ${quoted(line)}`,
  (line) => `timeout 9 bash -c ${quoted(line)}`,
  (line) => `nice -n 1 bash -c ${quoted(line)}`,
  (line) => `xargs -I% bash -c ${quoted(line)} <<< one`,
  (line) => `trap ${quoted(line)} EXIT`,
  (line) => `declare y=$( ${line}\n)`,
  (line) => `a=(1 $( ${line}\n))`,
  (line) => `set -e; ${line}`,
  (line) => `  \t${line}  `,
];

/** In front of one simple command: the shell, or a program, starts it. */
const BEFORE: readonly string[] = [
  "env ",
  "env -u X ",
  "env X=1 ",
  "timeout 9 ",
  "timeout -k 1 9 ",
  "nice ",
  "nice -n 5 ",
  "nohup ",
  "setsid -w ",
  "stdbuf -oL ",
  "command ",
  "exec ",
  "time ",
  "X=1 ",
  "\\\n",
  ">/dev/null ",
  "2>&1 ",
  "xargs -0 -a /dev/null ",
];

/** One simple command of plain words: nothing in it is an operator, a quote or an expansion. */
const SIMPLE = /^[A-Za-z][\w.+-]*(?: [\w./=:@%+,-]+)*$/;

const SPELLINGS: readonly Change[] = [
  (line) => line.replace(/^(\S)(\S*)/, "$1''$2"),
  (line) => line.replace(/^(\S+)/, '"$1"'),
  (line) => line.replace(/^(\S+)/, "'$1'"),
  (line) => line.replace(/^(\S)/, "\\$1"),
  (line) => line.replace(/^(\S+)/, "$'$1'"),
  (line) => line.replace(/^(\S)/, (letter) => `$'\\x${letter.charCodeAt(0).toString(16)}'`),
  (line) => line.replaceAll(" ", "  "),
  (line) => line.replaceAll(" ", "\t"),
  (line) => line.replaceAll(" ", " \\\n "),
  (line) => line.replace(/^(\S)/, "$1\\\n"),
  (line) => `${line};`,
  (line) => `${line} #`,
  (line) => `${line} &`,
];

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Every line by every change, and as many again of two or three changes one in the other, by a seed. */
export function shellCases(seed: number): readonly ShellCase[] {
  const cases: ShellCase[] = [];
  const random = chance(seed).number;
  for (const from of [...commandsOf("traps"), ...commandsOf("safe")]) {
    const changes = changesFor(from);
    cases.push({ command: from, from }, ...changes.map((change) => ({ command: change(from), from })));
    for (let count = 0; count < changes.length / 2; count++) {
      const first = changes[Math.floor(random() * changes.length)];
      const more = AROUND.filter(() => random() < 1.5 / AROUND.length);
      cases.push({ command: more.reduce((line, change) => change(line), first?.(from) ?? from), from });
    }
  }
  return cases;
}

function changesFor(command: string): readonly Change[] {
  const simple = SIMPLE.test(command);
  const before =
    /^[A-Za-z][^\n]*$/.test(command) && !/^(?:if|case|until|for|while|time|coproc)\b|^\S+\(\)/.test(command);
  return [
    ...AROUND,
    ...(before ? BEFORE.map((word) => (line: string) => word + line) : []),
    ...(simple ? SPELLINGS : []),
  ];
}
