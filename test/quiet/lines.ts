import type { Chance } from "../support/chance.ts";
import type { Options } from "./options.ts";
import {
  AWK,
  EXPANSIONS,
  FORMATS,
  IDLE,
  JOINS,
  JQ,
  NAMES,
  OPERANDS,
  QUOTED_FORMATS,
  REDIRECTIONS,
  SED,
  STEERED,
  VALUES,
  VARIABLE_WORDS,
  WRAPPERS,
} from "./pools.ts";
import type { HostileWorkspace } from "./workspace.ts";

/**
 * Makes command lines of the whole grammar of bash and of every program of the tables, without the reader of lines that
 * judges them. Most are meant to ask; what counts is that those that do not only read.
 */
export class Lines {
  readonly #random: Chance;
  readonly #options: Options;
  readonly #programs: readonly string[];
  readonly #operands: readonly string[];
  readonly #outside: string;

  constructor(random: Chance, options: Options, { root, outside, home }: HostileWorkspace) {
    this.#random = random;
    this.#outside = outside;
    this.#options = options;
    // Those that do next to nothing stand once, the others five times.
    this.#programs = [...options.keys()]
      .filter((name) => !name.startsWith("git "))
      .flatMap((name) => (IDLE.has(name) ? [name] : Array.from({ length: 5 }, () => name)));
    this.#operands = [...OPERANDS, root, `${root}/notes.txt`, `${outside}/secret.txt`, `${home}/.ssh/id_rsa`];
  }

  next(): string {
    return this.#list(2);
  }

  #list(depth: number): string {
    const { happens, of, below } = this.#random;
    let line = this.#pipeline(depth);
    for (let more = happens(0.55) ? 0 : 1 + below(2); more > 0; more--)
      line += of(JOINS) + this.#pipeline(depth);
    return happens(0.03) ? `${line} # touch PWNED` : line;
  }

  #pipeline(depth: number): string {
    const { happens, of } = this.#random;
    let line = (happens(0.04) ? of(["! ", "time ", "time -p ", "! ! "]) : "") + this.#command(depth);
    while (happens(0.2)) line += of([" | ", " | ", " | ", "|", " |& "]) + this.#command(depth);
    return line;
  }

  #command(depth: number): string {
    const { happens } = this.#random;
    if (depth > 0 && happens(0.1)) return this.#compound(depth - 1);
    return this.#simple(depth);
  }

  #compound(depth: number): string {
    const { happens, of } = this.#random;
    const list = () => (happens(0.7) ? of(STEERED) : this.#list(depth));
    const name = of(NAMES);
    const words = () => of([".", "0", this.#expansion(depth), "zz", "notes.txt"]);
    return of([
      () => `(${list()})`,
      () => `{ ${list()}; }`,
      () => `if ${list()}; then ${list()}; fi`,
      () => `while ${list()}; do ${list()}; break; done`,
      () => `until ${list()}; do break; done`,
      () => `for ${name} in ${words()}; do ${list()}; done`,
      () => `for ((${name}=0;;)); do ${list()}; break; done`,
      () => `select ${name} in ${words()}; do ${list()}; done`,
      () => `case ${words()} in ${words()}) ${list()} ;; *) ${list()} ;; esac`,
      () => `[[ ${name}=0 -eq 0 ]]; ${list()}`,
      () => `[[ -n ${words()} ]] && ${list()}`,
      () => `((${name}=0)); ${list()}`,
      () => `coproc ${name} { ${list()}; }; ${list()}`,
      () => `f() { ${list()}; }; f`,
      () => `${of(["cat", ":"])} <<X\n${words()}\nX\n${list()}`,
      () => `echo '$(: > PWNED)'; cat <<X\n${words()}\nX`,
      () => `echo '$(: > PWNED)'; case ${words()} in *) ${list()} ;; esac`,
      () => `cat <<'X'\n${words()}\nX\n${list()}`,
      () => `${of(["cat", ":"])} <<< ${words()}; ${list()}`,
      () => `echo '$(: > PWNED)'; echo ${words()}`,
      () => `${name}=${words()}; ${list()}`,
      () => `read ${name} < notes.txt; ${list()}`,
      () => `mapfile ${name} < notes.txt; ${list()}`,
      () => `getopts a ${name}; ${list()}`,
      () => `printf ${of(["%n", "a%n", "-v"])} ${name}; ${list()}`,
      () => `export ${name}; ${list()}`,
    ])();
  }

  #simple(depth: number): string {
    const { happens, of } = this.#random;
    const parts: string[] = [];
    if (happens(0.02)) parts.push(`${of(NAMES)}=${of([".", "0", "x"])}`);
    const wrapped = happens(0.03);
    if (wrapped) parts.push(of(WRAPPERS));
    parts.push(wrapped && happens(0.6) ? of(STEERED) : this.#program());
    let line = parts.join(" ");
    if (happens(0.04)) line += ` ${this.#expansion(depth)}`;
    if (happens(0.12)) line += ` ${of(REDIRECTIONS)}`;
    return line;
  }

  /** The words of one program, its name included. */
  #program(): string {
    const { happens, of } = this.#random;
    if (happens(0.2)) return this.#language();
    if (happens(0.2)) return this.#git();
    const name = of(this.#programs);
    if (name === "sleep") return "sleep 0";
    return this.#words(name, name);
  }

  #words(start: string, key: string): string {
    const { happens, below } = this.#random;
    const words: string[] = [start];
    const options = this.#options.get(key) ?? [];
    for (let count = happens(0.35) ? 0 : 1 + below(2); count > 0 && options.length > 0; count--)
      words.push(...this.#option(options));
    if (key === "grep" || key === "rg" || key.endsWith("grep")) words.push(this.#spelled("foo"));
    if (happens(0.03)) words.push("--");
    for (let count = happens(0.12) ? 0 : 1 + below(2); count > 0; count--) words.push(this.#operand());
    return words.join(" ");
  }

  #option(options: readonly string[]): readonly string[] {
    const { happens, of, below } = this.#random;
    const option = of(options);
    const value = of(VALUES);
    if (option.startsWith("--")) {
      const name = happens(0.05) ? option.slice(0, 3 + below(option.length)) : option;
      if (happens(0.45)) return [this.#spelled(name)];
      return happens(0.6) ? [this.#spelled(`${name}=${value}`)] : [this.#spelled(name), this.#spelled(value)];
    }
    if (happens(0.5)) return [this.#spelled(option)];
    if (happens(0.3)) return [this.#spelled(option + of(options).replace(/^-+/, "").slice(0, 1))];
    return happens(0.5) ? [this.#spelled(option + value)] : [this.#spelled(option), this.#spelled(value)];
  }

  #git(): string {
    const { happens, of } = this.#random;
    const keys = [...this.#options.keys()].filter((key) => key.startsWith("git "));
    const key = of(keys);
    const at = happens(0.3) ? ` -C ${of(["sub", "pointed", "nest/sub", "evil", "src", ".", "up"])}` : "";
    const global = happens(0.05)
      ? of([" -c core.fsmonitor=0/ls", " -P", " --no-pager", " --git-dir=evil/.git"])
      : "";
    const start = `git${at}${global} ${key.slice(4)}`;
    if (happens(0.1)) return `git${at} log ${of(QUOTED_FORMATS)}`;
    if (happens(0.3)) return `${start} ${this.#spelled(of(FORMATS))}`;
    if (happens(0.5)) return start;
    return this.#words(start, key).replace(
      / (?=\S+$)/,
      happens(0.5) ? ` ${of(["HEAD", "--", "v1", "HEAD~1"])} ` : " ",
    );
  }

  /** Programs in the language of another program, and searches that start one. */
  #language(): string {
    const { happens, of, below } = this.#random;
    const file = of(["notes.txt", "data.json", "src/b.txt", this.#operand()]);
    const glued = (parts: readonly string[]) =>
      happens(0.4) ? of(parts) : Array.from({ length: 1 + below(5) }, () => of(parts)).join("");
    const number = () => String(below(9) + 1);
    const sed = () =>
      happens(0.5)
        ? of([
            `${number()}p`,
            `${number()},${number()}p`,
            "$p",
            `${number()},$p`,
            "/foo/p",
            `1,+${number()}p;$p`,
          ])
        : glued(SED);
    const awk = () =>
      happens(0.5) ? of([`{print $${number()}}`, `NR>=${number()} && NR<=${number()}`]) : glued(AWK);
    const jq = () => (happens(0.5) ? of([".", ".a", ".a.b[0]", ".a.b[]", '.["a"]']) : glued(JQ));
    const where = of(["src", "src", "odd", "links", ".", "keys", "up", "*"]);
    const test = of([
      "",
      "-type f",
      "-name '*.ts'",
      "-type f -name '*.txt'",
      "! -type f",
      "-name .env -o -type f",
    ]);
    const list = of([
      "grep -l foo",
      "grep -l foo",
      "grep -l 'b:c'",
      "grep -l foo",
      "grep -h foo",
      "grep -lf",
      "wc -l",
      "cat",
      "sh -c",
      "grep -l -- -f",
    ]);
    return of([
      () => `sed ${of(["-n", "-n", "-n", "", "-nE", "-ni"])} ${this.#spelled(sed())} ${file}`,
      () => `awk ${of(["", "", "-F:", "-F ,", "-v x=1"])} ${this.#spelled(awk())} ${file}`,
      () => `jq ${of(["", "-r", "-n", "-f"])} ${this.#spelled(jq())} ${file}`,
      () => `find ${where} ${test} | xargs ${of(["", "", "", "", "-0 ", "-n1 ", "-I{} "])}${list}`,
      () =>
        `find ${of([where, where, `'a ${this.#outside}/secret.txt b'`])} ${test} ${of(["", "2>&1", "-print -type f", "-path -print -o -prune"])} | xargs ${list} ${of(["", "< names.txt", "0>&2"])}`,
      () => `find . -mindepth 1 ${test} -print -o -prune -exec grep -l foo {} \\;`,
      () => `find ${where} ${test} -exec ${list} {} ${of(["\\;", "\\;", "+"])}`,
      () =>
        `strings ${of(["", "-n 1 "])}${this.#spelled(of(["@notes.txt", "@.env", "notes.txt", "@names.txt"]))}`,
      () =>
        `printf ${this.#spelled(of(["%s\\n", "%d", "%n", "%*n", "%b", "%(%s)T", "a"]))} ${of(NAMES)} ${number()}`,
      () =>
        `${of(["sort", "sort", "cat", "head"])} ${of(["-o[M]ADE", "x[y]", "n*.txt", "--output=*"])} ${file}`,
      () => `xxd ${of(["-ps", "-r", "-p", "-b"])} ${file}${of(["", " notes.txt"])}`,
      () => `${of(["xxd", "uniq", "head"])} ${file} ${of(["-a", "-c", "-b", "-l5", "--"])}`,
      () => `awk '{print $1}' ${of(["-F", "--", "-Fx"])} ${of(["x", file])}`,
      () => `tree ${of(["-P", "-I", "-Po", "-Io", "-L2o"])} ${of(["'*'", "2"])} ${file}`,
      () => `date -d ${this.#spelled(of([`TZ="${this.#outside}/secret.txt" now`, "2 days ago", "now"]))}`,
      () => `${of(["echo", "grep", "[", "head", "printf %s"])} ${of(VARIABLE_WORDS)} ${file}`,
      () =>
        `cd ${of(["src", "sub", "pointed", "..", "up", "links", "-", "odd"])} && ${this.#words("ls", "ls")}`,
    ])();
  }

  #operand(): string {
    const { happens, of } = this.#random;
    if (happens(0.55)) return of(["notes.txt", "data.json", "src/b.txt", "src", "src/a.ts"]);
    const text = of(this.#operands);
    return happens(0.15) ? this.#spelled(text) : text;
  }

  #expansion(depth: number): string {
    const { happens, of } = this.#random;
    if (depth > 0 && happens(0.1)) return `$(${this.#list(depth - 1)})`;
    return of(EXPANSIONS);
  }

  /** A word with its quotes somewhere: one argument, whatever is in it. */
  #spelled(text: string): string {
    const { of, below } = this.#random;
    const single = (part: string) => `'${part.replaceAll("'", "'\\''")}'`;
    const plain = text.replaceAll(/[^\w./=:@%+,-]/g, (letter) =>
      letter === "\n" ? "$'\\n'" : `\\${letter}`,
    );
    const at = below(text.length + 1);
    return of([
      () => plain,
      () => plain,
      () => single(text),
      () => single(text),
      () => `"${text.replaceAll(/["\\$`]/g, "\\$&")}"`,
      () => single(text.slice(0, at)) + single(text.slice(at)),
      () => `${text.slice(0, at).replaceAll(/[^\w./=:@%+,-]/g, "\\$&")}${single(text.slice(at))}`,
      () => `$'${text.replaceAll(/['\\]/g, "\\$&").replaceAll("\n", "\\n")}'`,
    ])();
  }
}
