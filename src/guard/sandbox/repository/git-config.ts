/** Keys of a repository's own configuration that name no program, no other file and no other place. */
const HARMLESS_KEYS: readonly RegExp[] = [
  /^core\.(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol|safecrlf|longpaths|quotepath|abbrev|whitespace|untrackedcache|preloadindex|hookspath|compression|commentchar|protectntfs|protecthfs|trustctime|checkstat)$/,
  /^(?:remote\..*\.(?:url|pushurl|fetch|push|tagopt|prune|mirror)|remote\.pushdefault)$/,
  /^branch\.(?:.*\.(?:remote|merge|rebase|pushremote|description|vscode-merge-base|gh-merge-base|github-pr-owner-number)|autosetuprebase|autosetupmerge|sort)$/,
  /^(?:user|author|committer)\.(?:name|email|signingkey)$/,
  /^(?:pull\.(?:rebase|ff|octopus)|push\.(?:default|autosetupremote|followtags)|fetch\.(?:prune|prunetags|parallel|writecommitgraph)|init\.defaultbranch|merge\.(?:conflictstyle|ff|renamelimit|log)|rebase\.(?:autosquash|autostash|updaterefs)|rerere\.(?:enabled|autoupdate)|commit\.(?:verbose|gpgsign)|tag\.(?:sort|gpgsign)|gc\.(?:auto|autodetach|pruneexpire)|maintenance\.(?:auto|strategy)|index\.(?:version|threads)|feature\.(?:manyfiles)|http\.postbuffer|pack\.(?:threads|windowmemory))$/,
  /^(?:color|advice|column|gui|alias)\./,
  // To the end: below `diff.context` a driver of that name may have a program.
  /^(?:lfs\.repositoryformatversion|extensions\.objectformat|submodule\.(?:active|recurse)|status\.(?:short|branch|showuntrackedfiles|relativepaths)|log\.(?:date|decorate|abbrevcommit|follow)|diff\.(?:renames|algorithm|mnemonicprefix|noprefix|colormoved|indentheuristic|renamelimit|context))$/,
];

/** A value goes on behind one backslash, not behind two, nor in a comment: such lines are not read here. */
const SEEMS_TO_GO_ON = /\\\r?\n/;

/** The keys of a configuration, section and all, in small letters; undefined for a line that is none or not plain. */
export function configKeys(text: string): readonly string[] | undefined {
  if (SEEMS_TO_GO_ON.test(text)) return undefined;
  const keys: string[] = [];
  let section: string | undefined;
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  for (const line of lines) {
    let rest = line.trim();
    const header = /^\[([A-Za-z0-9.-]+)(?:[ \t]+"((?:[^"\\]|\\.)*)")?\][ \t]*/.exec(rest);
    if (header !== null) {
      section = [header[1]?.toLowerCase(), header[2]].filter((part) => part !== undefined).join(".");
      rest = rest.slice(header[0].length);
    }
    if (rest === "" || rest.startsWith("#") || rest.startsWith(";")) continue;
    const key = /^([A-Za-z][A-Za-z0-9-]*)[ \t]*(?:=|$)/.exec(rest)?.[1];
    if (section === undefined || key === undefined) return undefined;
    // A setting may not open a section of its own, and a quoted value may hold anything.
    keys.push(`${section}.${key.toLowerCase()}`);
  }
  return keys;
}

export interface ConfigSetting {
  /** Section and all, in small letters but for a name in quotes. */
  readonly key: string;
  readonly value: string;
  /** Has no `=`, which git reads as true. */
  readonly implicit?: true;
}

/**
 * The settings of a configuration as git reads them: behind the header of their section too, with quotes in the middle of
 * a value, escapes, comments behind it, and lines that go on. What is no setting is passed over: this looks for what git
 * might obey, and proves nothing harmless.
 */
export function configSettings(text: string): readonly ConfigSetting[] {
  const settings: ConfigSetting[] = [];
  let section = "";
  SETTING.lastIndex = 0;
  for (let found = SETTING.exec(text); found !== null; found = SETTING.exec(text)) {
    const [, header, name, key, value] = found;
    if (header !== undefined)
      section = [header.toLowerCase(), ...(name === undefined ? [] : [unescaped(name)])].join(".");
    else if (key !== undefined)
      settings.push({
        key: `${section}.${key.toLowerCase()}`,
        value: plainValue(value ?? ""),
        ...(value === undefined ? { implicit: true } : {}),
      });
  }
  return settings;
}

// Each alternative begins with another character, so a text is read once. A line that goes on has its feed escaped.
const SETTING =
  /\[[ \t]*([A-Za-z0-9.-]+)(?:[ \t]*"((?:[^"\\\n]|\\.)*)")?[ \t]*\]|([A-Za-z][A-Za-z0-9-]*)[ \t]*(?:=((?:[^\\\n]|\\\r?\n|\\.)*))?|[#;][^\n]*|[^\n]/g;

/** Without quotes, a comment, and blanks around it. */
function plainValue(raw: string): string {
  let value = "";
  let isQuoted = false;
  let end = 0;
  for (let at = 0; at < raw.length; at++) {
    const character = raw[at] ?? "";
    if (character === "\\") {
      const next = raw[++at] ?? "";
      if (next === "\r")
        at++; // the line goes on behind both
      else if (next !== "\n") value += { n: "\n", t: "\t", b: "\b" }[next] ?? next;
      end = value.length;
    } else if (character === '"') {
      isQuoted = !isQuoted;
      end = value.length;
    } else if (!isQuoted && (character === "#" || character === ";")) break;
    else if (isQuoted || !/\s/.test(character)) {
      value += character;
      end = value.length;
    } else if (value !== "") value += character;
  }
  return value.slice(0, end);
}

function unescaped(name: string): string {
  return name.replaceAll(/\\(.)/g, "$1");
}

/** Of the keys of a configuration, those that may name a program, another file or another place. */
export function keysThatRun(keys: readonly string[]): readonly string[] {
  return keys.filter((key) => !HARMLESS_KEYS.some((harmless) => harmless.test(key)));
}
