import { describe, expect, test } from "bun:test";
import { mkdirSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import * as fc from "fast-check";
import { noneWith, processesWith } from "../../../test/support/processes.ts";
import type { ToolRig } from "../../../test/support/tool-rig.ts";
import { openToolRig } from "../../../test/support/tool-rig.ts";
import { until } from "../../../test/support/until.ts";
import { Cancelled } from "../../base/errors.ts";
import type { Child } from "../../base/world.ts";
import { hostRipgrep } from "../../platform/ripgrep.ts";
import { globTool, splitGlob } from "./glob.ts";
import { grepTool } from "./grep.ts";
import { GrepLines } from "./grep-lines.ts";

const program = hostRipgrep("/nowhere");
const Grep = grepTool(program);
const Glob = globTool(program);

type Tree = Readonly<Record<string, string>>;

const TREE: Tree = {
  ".gitignore": "ignored/\n*.log\n",
  ".env": "needle hidden\n",
  ".git/config": "needle in git\n",
  "-rf.ts": "needle dash\n",
  "a b.ts": "needle space\n",
  "new\nline.ts": "needle feed\n",
  "debug.log": "needle log\n",
  "ignored/x.ts": "needle ignored\n",
  "src/deep/z.ts": "one\ntwo needle\nthree\nfour\nfive\nsix\nneedle seven\n",
  "src/x.md": "Needle upper\n",
};

function write(root: string, tree: Tree): void {
  for (const [name, content] of Object.entries(tree)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), content);
  }
}

function openTree(tree: Tree = TREE, env: Readonly<Record<string, string>> = {}): ToolRig {
  const rig = openToolRig({}, { env });
  write(rig.root, tree);
  return rig;
}

describe("Grep", () => {
  test("[TOOL-03] shows matching lines under the path of their file, in the order of paths", async () => {
    await using rig = openTree();
    expect(await rig.text(Grep, { pattern: "needle" })).toBe(
      [
        "-rf.ts\n1:needle dash",
        ".env\n1:needle hidden",
        "a b.ts\n1:needle space",
        "new\\nline.ts\n1:needle feed",
        "src/deep/z.ts\n2:two needle\n7:needle seven",
      ].join("\n"),
    );
  });

  test("[TOOL-03] shows lines around a match, and where lines are left out", async () => {
    await using rig = openTree();
    expect(await rig.text(Grep, { pattern: "needle", path: "src", context: 1 })).toBe(
      "src/deep/z.ts\n1-one\n2:two needle\n3-three\n--\n6-six\n7:needle seven",
    );
  });

  test("[TOOL-03] names files, counts lines, ignores case where it is asked to", async () => {
    await using rig = openTree();
    const files = ["-rf.ts", ".env", "a b.ts", "new\\nline.ts", "src/deep/z.ts"];
    expect(await rig.text(Grep, { pattern: "needle", mode: "files" })).toBe(files.join("\n"));
    expect(await rig.text(Grep, { pattern: "needle", mode: "count", path: "src", ignore_case: true })).toBe(
      "src/deep/z.ts:2\nsrc/x.md:1",
    );
    expect(await rig.text(Grep, { pattern: "needle", mode: "count", path: "new\nline.ts" })).toBe(
      "new\\nline.ts:1",
    );
    expect(await rig.text(Grep, { pattern: "nothing like it" })).toBe("No matches");
  });

  test("[TOOL-03] a glob narrows the search and never brings back what is ignored", async () => {
    await using rig = openTree();
    const names = (glob: string) => rig.text(Grep, { pattern: "(?i)needle", mode: "files", glob });
    expect(await names("*.{md,log}")).toBe("src/x.md");
    expect(await names("src/**/*.ts")).toBe("src/deep/z.ts");
    expect(await names("**/*")).toBe("-rf.ts\n.env\na b.ts\nnew\\nline.ts\nsrc/deep/z.ts\nsrc/x.md");
    expect(await names("!*.ts")).toBe(".env\nsrc/x.md");
    expect(await names("ignored/*.ts")).toBe("No matches");
  });

  test("[TOOL-03] searches what is ignored where it is named outright", async () => {
    await using rig = openTree();
    expect(await rig.text(Grep, { pattern: "needle", path: "ignored" })).toBe(
      "ignored/x.ts\n1:needle ignored",
    );
    expect(await rig.text(Grep, { pattern: "needle", path: "debug.log", glob: "*.ts" })).toBe(
      "debug.log\n1:needle log",
    );
  });

  test("[TOOL-03] leaves out what is ignored outside of a repository too", async () => {
    await using rig = openTree({
      ".gitignore": "*.log\n",
      "a.log": "needle\n",
      "sub/b.log": "needle\n",
      "c.ts": "needle\n",
    });
    expect(await rig.text(Grep, { pattern: "needle", mode: "files", path: "." })).toBe("c.ts");
    expect(await rig.text(Glob, { pattern: "**/[abc].*" })).toBe("c.ts");
  });

  test("[PERM-02 S22] shows no part of the withheld files, in no mode, and does not reveal a match", async () => {
    await using rig = openTree();
    const context = {
      ...rig.context,
      withholds: (path: string) => [".env", "src/deep/z.ts"].some((name) => path === join(rig.root, name)),
    };
    const text = async (input: object) => {
      const output = await Grep.run(await Grep.plan(input, context), context);
      return output.content.map((block) => (block.type === "text" ? block.text : "")).join();
    };
    const others = ["-rf.ts", "a b.ts", "new\\nline.ts"];
    expect(await text({ pattern: "needle", mode: "files" })).toBe(others.join("\n"));
    expect(await text({ pattern: "needle", mode: "count" })).toBe(
      others.map((name) => `${name}:1`).join("\n"),
    );
    expect(await text({ pattern: "needle", context: 3 })).not.toMatch(/hidden|seven/);
    expect(await text({ pattern: "hidden" })).toBe(await text({ pattern: "stands nowhere" }));
    const named = await Glob.run(await Glob.plan({ pattern: "**/*.ts" }, context), context);
    expect(JSON.stringify(named)).not.toContain("z.ts");
  });

  test("[TOOL-03 R22] refuses a file of a terabyte at once, and passes over it in a folder", async () => {
    await using rig = openTree({ "a.ts": "needle\n", huge: "" });
    truncateSync(join(rig.root, "huge"), 2 ** 40);
    expect(await rig.text(Grep, { pattern: "needle" })).toBe("a.ts\n1:needle");
    expect(await rig.text(Grep, { pattern: "needle", path: "huge" })).toBe(
      "error: huge has 1.0 TB, and a search goes through 1.0 GB at most. Cut it with Bash, or Read a part of it.",
    );
  });

  test("[S17] takes no pattern and no name for an option", async () => {
    await using rig = openTree({ "--pre=touch canary": "--files x\n-e y\n" });
    expect(await rig.text(Grep, { pattern: "--files" })).toBe("--pre=touch canary\n1:--files x");
    expect(await rig.text(Grep, { pattern: "-e", path: "--pre=touch canary" })).toBe(
      "--pre=touch canary\n2:-e y",
    );
    expect(await rig.text(Grep, { pattern: "x", glob: "--pre=*" })).toBe("--pre=touch canary\n1:--files x");
    expect(await rig.text(Glob, { pattern: "--pre*" })).toBe("--pre=touch canary");
  });

  test("[S03] is steered by no configuration, neither the session's nor one in the tree", async () => {
    await using rig = openTree(TREE, { RIPGREP_CONFIG_PATH: "" });
    const config = join(rig.root, "ripgreprc");
    writeFileSync(config, "--invert-match\n--pre\ntouch\n");
    const env = { ...rig.workspace.env, RIPGREP_CONFIG_PATH: config };
    const environments: unknown[] = [];
    const world = {
      ...rig.world,
      spawn: (options: Parameters<typeof rig.world.spawn>[0]) => {
        environments.push(options.env, options.argv.includes("--no-config"));
        return rig.world.spawn(options);
      },
    };
    const context = { ...rig.context, world, workspace: { ...rig.workspace, env } };
    const plan = await Grep.plan({ pattern: "needle", path: ".env" }, context);
    expect(await Grep.run(plan, context)).toEqual({
      content: [{ type: "text", text: ".env\n1:needle hidden" }],
    });
    expect(environments).toEqual([{}, true]);
  });

  test("[TOOL-03] says what is wrong with a pattern or a path", async () => {
    await using rig = openTree();
    expect(await rig.text(Grep, { pattern: "(" })).toMatch(/^error: regex parse error:.*unclosed group$/s);
    expect(await rig.text(Grep, { pattern: "x", path: "nowhere" })).toBe(
      "error: There is no file or directory nowhere.",
    );
    expect(await rig.text(Grep, { pattern: "x", path: "a\0b" })).toStartWith("error: ");
  });

  test("[TOOL-03] is bounded: results, long lines, the whole", async () => {
    await using rig = openTree({
      "many.txt": "needle\n".repeat(1_000),
      "min.js": `${"needle ".repeat(100_000)}\n`,
      "wide.txt": `${"needle ".repeat(60)}\n`.repeat(500),
    });
    const many = await rig.text(Grep, { pattern: "needle", path: "many.txt", limit: 3 });
    expect(many).toBe(
      "many.txt\n1:needle\n2:needle\n3:needle\n[More matches are left out after 3 results: narrow the search or raise limit]",
    );
    const long = await rig.text(Grep, { pattern: "needle", path: "min.js" });
    expect(long.length).toBeLessThan(600);
    expect(long).toContain("omitted end of long line");
    const wide = await rig.text(Grep, { pattern: "needle", path: "wide.txt", limit: 2_000 });
    expect(wide.length).toBeLessThan(41_000);
    expect(wide).toEndWith("results: narrow the search]");
  });

  test("[TOOL-03] reports a named binary file that matches, and skips others on the way", async () => {
    await using rig = openTree({ "a.bin": "\0needle\n", "b.txt": "needle\n" });
    expect(await rig.text(Grep, { pattern: "needle" })).toBe("b.txt\n1:needle");
    expect(await rig.text(Grep, { pattern: "needle", path: "a.bin" })).toBe("a.bin: binary file matches");
  });

  test("[PERM-09 PERM-10 S22] passes the gate the pattern and the resolved path, and searches that path", async () => {
    await using rig = openTree();
    write(rig.outside, { "o.txt": "needle outside\n" });
    symlinkSync(rig.outside, join(rig.root, "link"));
    const plan = await Grep.plan({ pattern: "nee\ndle", path: "link" }, rig.context);
    expect(plan).toMatchObject({
      summary: "Grep:nee\\ndle",
      target: {
        kind: "paths",
        paths: [{ path: rig.outside, access: "read", spelled: join(rig.root, "link") }],
      },
    });
    expect(await rig.text(Grep, { pattern: "needle", path: "link" })).toBe(
      `${join(rig.outside, "o.txt")}\n1:needle outside`,
    );
    expect(await rig.text(Grep, { pattern: "needle", mode: "files", glob: "link/*" })).toBe("No matches");
  });

  test("[TOOL-03] names files so that Read finds them from where Bash is", async () => {
    await using rig = openTree();
    rig.workspace.cwd = join(rig.root, "src");
    expect(await rig.text(Grep, { pattern: "needle", mode: "files" })).toBe("deep/z.ts");
    expect(await rig.text(Grep, { pattern: "dash", path: "..", mode: "files" })).toBe("../-rf.ts");
  });
});

describe("Glob", () => {
  test("[TOOL-03] lists the latest changed first, without what is ignored", async () => {
    await using rig = openTree();
    const order = ["src/deep/z.ts", "-rf.ts", "new\nline.ts", "a b.ts"];
    for (const [at, name] of order.entries()) utimesSync(join(rig.root, name), 1_000, 2_000_000_000 - at);
    const shown = order.map((name) => name.replace("\n", "\\n")).join("\n");
    expect(await rig.text(Glob, { pattern: "*.ts" })).toBe(shown);
    expect(await rig.text(Glob, { pattern: "**/*.ts" })).toBe(shown);
    expect(await rig.text(Glob, { pattern: "*.ts", limit: 2 })).toBe(
      "src/deep/z.ts\n-rf.ts\n[More are left out after 2 files: narrow the pattern or raise limit]",
    );
  });

  test("[TOOL-03] compares a pattern with a slash with the whole path, one without with names", async () => {
    await using rig = openTree();
    expect(await rig.text(Glob, { pattern: "src/*.md" })).toBe("src/x.md");
    expect(await rig.text(Glob, { pattern: "src/*.ts" })).toBe("No files");
    expect(await rig.text(Glob, { pattern: "src/**/*.ts" })).toBe("src/deep/z.ts");
    expect(await rig.text(Glob, { pattern: "z.ts" })).toBe("src/deep/z.ts");
    expect(await rig.text(Glob, { pattern: "src/x.md" })).toBe("src/x.md");
    expect(await rig.text(Glob, { pattern: "./-rf.ts" })).toBe("-rf.ts");
    expect(await rig.text(Glob, { pattern: "*.md", path: "src" })).toBe("src/x.md");
    expect(await rig.text(Glob, { pattern: ".*" })).toMatch(/^\.(gitignore|env)\n\.(gitignore|env)$/);
    expect(await rig.text(Glob, { pattern: "nowhere/*.ts" })).toBe("No files: nowhere is not a directory");
    expect(await rig.text(Glob, { pattern: "[" })).toBe("No files");
  });

  test("[PERM-09 S22] passes the gate the target of a pattern that leaves the workspace", async () => {
    await using rig = openTree();
    write(rig.outside, { "o.txt": "" });
    for (const pattern of [`${rig.outside}/*.txt`, "../outside/*.txt", "src/../../outside/*.txt"]) {
      const plan = await Glob.plan({ pattern }, rig.context);
      expect(plan).toMatchObject({
        summary: `Glob:${pattern}`,
        target: { kind: "paths", paths: [{ path: rig.outside, access: "read" }] },
      });
      expect(await rig.text(Glob, { pattern })).toBe(join(rig.outside, "o.txt"));
    }
    expect(await rig.text(Glob, { pattern: "*/../../outside/*.txt" })).toBe("No files");
    expect(await rig.text(Glob, { pattern: "{../outside,src}/*.txt" })).toBe("No files");
  });

  test("[TOOL-03] a glob is split into folders that are named outright and the rest", async () => {
    const folder = fc.stringMatching(/^[a-z.]{1,5}$/);
    await fc.assert(
      fc.property(
        fc.array(folder, { maxLength: 4 }),
        fc.constantFrom("*.ts", "**/x", "a?/b"),
        (folders, rest) => {
          const pattern = [...folders, rest].join("/");
          expect(splitGlob(pattern)).toEqual({ folder: folders.join("/"), rest });
          expect(splitGlob(`/${pattern}`)).toEqual({ folder: `/${folders.join("/")}`, rest });
        },
      ),
    );
  });
});

describe("a search", () => {
  /** A search that runs until it is ended, marked by its argument. */
  async function endless(
    rig: ToolRig,
  ): Promise<{ readonly context: ToolRig["context"]; readonly own: string }> {
    const own = `300.${Math.floor(Math.random() * 1e12)}`;
    const spawn = (): Child =>
      rig.world.spawn({ argv: ["sleep", own], cwd: "/", env: { PATH: "/usr/bin:/bin" } });
    return { context: { ...rig.context, world: { ...rig.world, spawn } }, own };
  }

  test("[ENG-22] ends after 30 s with what to do", async () => {
    await using rig = openTree();
    const { context, own } = await endless(rig);
    const plan = await Grep.plan({ pattern: "x" }, context);
    const call = Grep.run(plan, context).catch((thrown) => thrown);
    await until("the search runs", () => processesWith(own).length > 0);
    await rig.world.clock.advance(30_000);
    expect(await call).toMatchObject({
      name: "ToolFailure",
      message: "The search took longer than 30 s. Narrow it.",
    });
    await noneWith(own);
  });

  test("[ENG-09] is ended by a cancel", async () => {
    await using rig = openTree();
    const { context, own } = await endless(rig);
    const plan = await Glob.plan({ pattern: "*" }, context);
    const call = Glob.run(plan, context).catch((thrown) => thrown);
    const why = new Cancelled("tester", "enough");
    rig.cancel.abort(why);
    expect(await call).toBe(why);
    await noneWith(own);
  });

  test("[TOOL-03] says where ripgrep is missing, and that some files could not be read", async () => {
    await using rig = openTree();
    const missing = grepTool(() => Promise.resolve("/no/rg"));
    expect(await rig.text(missing, { pattern: "x" })).toStartWith("error: cannot start /no/rg: ");
    const world = {
      ...rig.world,
      spawn: () =>
        rig.world.spawn({ argv: ["/bin/sh", "-c", "printf 'x\\0001:y\\n'; exit 2"], cwd: "/", env: {} }),
    };
    const context = { ...rig.context, world };
    const plan = await Grep.plan({ pattern: "x" }, context);
    expect(await Grep.run(plan, context)).toEqual({
      content: [{ type: "text", text: "x\n1:y\n[Some files could not be read]" }],
    });
  });

  test("[TOOL-08 TOOL-09] the tools have short descriptions and change nothing", () => {
    for (const { name, description, inputSchema, mutating, level } of [Grep, Glob]) {
      expect(JSON.stringify({ name, description, inputSchema }).length).toBeLessThanOrEqual(330);
      expect([mutating, level]).toEqual([false, "ReadOnly"]);
    }
  });
});

test("[TOOL-03] records of any names and lines come out as they went in", async () => {
  const name = fc.stringMatching(/^[a-z\n .-]{1,8}$/).map((each) => `./${each}`);
  const line = fc.stringMatching(/^[a-z:\- ]{0,8}$/);
  await fc.assert(
    fc.property(fc.uniqueArray(name, { maxLength: 5 }), line, (names, text) => {
      const lines = new GrepLines({
        mode: "content",
        limit: 10,
        charactersMax: 10_000,
        gaps: false,
        fits: () => true,
        shown: (printed) => JSON.stringify(printed),
      });
      const output = names.map((each) => `${each}\0${3}:${text}\n`).join("");
      for (const record of output.split("\n").slice(0, -1)) expect(lines.take(record)).toBe(true);
      expect(lines.text).toBe(names.map((each) => `${JSON.stringify(each)}\n3:${text}`).join("\n"));
    }),
  );
});
