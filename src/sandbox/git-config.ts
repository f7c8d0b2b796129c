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

/** A comment ends with its line, whatever stands at the end of it; a value goes on behind a backslash. */
const COMMENT_THAT_SEEMS_TO_GO_ON = /[#;][^\n]*\\\r?\n/;

/** The keys of a configuration, section and all, in small letters; undefined for a line that is none or not plain. */
export function configKeys(text: string): readonly string[] | undefined {
  if (COMMENT_THAT_SEEMS_TO_GO_ON.test(text)) return undefined;
  const keys: string[] = [];
  let section: string | undefined;
  const lines = text.replaceAll("\r\n", "\n").replaceAll("\\\n", " ").split("\n");
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

/** Of the keys of a configuration, those that may name a program, another file or another place. */
export function keysThatRun(keys: readonly string[]): readonly string[] {
  return keys.filter((key) => !HARMLESS_KEYS.some((harmless) => harmless.test(key)));
}
