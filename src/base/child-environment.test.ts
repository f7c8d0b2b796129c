import { expect, test } from "bun:test";
import { reachesChildren } from "./child-environment.ts";

test("[S10 S13] what steers a runtime or a shell, or is cinch's own, reaches no child; all else does", () => {
  const keptBack = [
    ...["BUN_OPTIONS", "BUN_BE_BUN", "BUN_CONFIG_REGISTRY", "BUN_INSPECT_CONNECT_TO", "BUN_JSC_useJIT"],
    ...["NODE_OPTIONS", "NODE_REPL_EXTERNAL_MODULE", "RIPGREP_CONFIG_PATH"],
    ...["BASH_ENV", "ENV", "BASHOPTS", "SHELLOPTS", "BASH_XTRACEFD", "BASH_FUNC_ls%%", "BASH_FUNC_a\nb%%"],
    ...["PS4", "CDPATH", "GLOBIGNORE", "POSIXLY_CORRECT", "PROMPT_COMMAND", "IFS", "PWD", "OLDPWD"],
    ...["CINCH_TOKEN", "CINCH_PASSPHRASE"],
  ];
  const passed = [
    "HOME",
    "PATH",
    "LANG",
    "TERM",
    "NODE_ENV",
    "EDITOR",
    "XDG_CONFIG_HOME",
    "MY_ENV",
    "ENVIRONMENT",
  ];
  expect([...keptBack, ...passed].filter(reachesChildren)).toEqual(passed);
});
