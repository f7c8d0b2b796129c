/** Keys of a repository's own configuration that name no program, no other file and no other place. */
const HARMLESS_KEYS: readonly RegExp[] = [
  /^core\.(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol|safecrlf|longpaths|quotepath|abbrev|whitespace|untrackedcache|preloadindex|hookspath|compression|commentchar|protectntfs|protecthfs|trustctime|checkstat)$/,
  /^(?:remote\..*\.(?:url|pushurl|fetch|push|tagopt|prune|mirror)|remote\.pushdefault)$/,
  /^branch\.(?:.*\.(?:remote|merge|rebase|pushremote|description|vscode-merge-base|gh-merge-base|github-pr-owner-number)|autosetuprebase|autosetupmerge|sort)$/,
  /^(?:user|author|committer)\.(?:name|email|signingkey)$/,
  /^(?:pull\.(?:rebase|ff|octopus)|push\.(?:default|autosetupremote|followtags)|fetch\.(?:prune|prunetags|parallel|writecommitgraph)|init\.defaultbranch|merge\.(?:conflictstyle|ff|renamelimit|log)|rebase\.(?:autosquash|autostash|updaterefs)|rerere\.(?:enabled|autoupdate)|commit\.(?:verbose|gpgsign)|tag\.(?:sort|gpgsign)|gc\.(?:auto|autodetach|pruneexpire)|maintenance\.(?:auto|strategy)|index\.(?:version|threads)|feature\.(?:manyfiles)|http\.postbuffer|pack\.(?:threads|windowmemory))$/,
  /^(?:color|advice|column|gui|alias)\./,
  // Anchored at the end: below `diff.context` a driver of that name may have a program.
  /^(?:lfs\.repositoryformatversion|extensions\.objectformat|submodule\.(?:active|recurse)|status\.(?:short|branch|showuntrackedfiles|relativepaths)|log\.(?:date|decorate|abbrevcommit|follow)|diff\.(?:renames|algorithm|mnemonicprefix|noprefix|colormoved|indentheuristic|renamelimit|context))$/,
];

/**
 * A value continues after one backslash, but not after two, nor in a comment: files with such lines are not
 * parsed here.
 */
const SEEMS_TO_GO_ON = /\\\r?\n/;

/**
 * Returns the keys of a configuration with their sections, in lower case; undefined for a malformed or unusual line.
 */
export function gitConfigKeys(text: string): readonly string[] | undefined {
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
    // A setting may not contain a section header, and a quoted value may hold anything.
    keys.push(`${section}.${key.toLowerCase()}`);
  }
  return keys;
}

export interface GitSetting {
  /** Key with its section, in lower case except for a name in quotes. */
  readonly key: string;
  readonly value: string;
  /** True for a setting without `=`, which git reads as true. */
  readonly implicit?: true;
}

/**
 * Returns the settings of a configuration as git reads them: also after a section header on the same line, with
 * quotes inside a value, escapes, trailing comments and continued lines. Skips anything else: this looks for what git
 * might obey, and proves nothing harmless.
 */
export function parseGitConfig(text: string): readonly GitSetting[] {
  const settings: GitSetting[] = [];
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

// Each alternative starts with another character, so a text is read once. A continued line has its line feed escaped.
const SETTING =
  /\[[ \t]*([A-Za-z0-9.-]+)(?:[ \t]*"((?:[^"\\\n]|\\.)*)")?[ \t]*\]|([A-Za-z][A-Za-z0-9-]*)[ \t]*(?:=((?:[^\\\n]|\\\r?\n|\\.)*))?|[#;][^\n]*|[^\n]/g;

/** Removes quotes, a comment, and surrounding blanks. */
function plainValue(raw: string): string {
  let value = "";
  let isQuoted = false;
  let end = 0;
  for (let at = 0; at < raw.length; at++) {
    const character = raw[at] ?? "";
    if (character === "\\") {
      const next = raw[++at] ?? "";
      if (next === "\r")
        at++; // a continued line with both characters
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

/** Returns the keys that may name a program, another file or another folder. */
export function dangerousKeys(keys: readonly string[]): readonly string[] {
  return keys.filter((key) => !HARMLESS_KEYS.some((harmless) => harmless.test(key)));
}
