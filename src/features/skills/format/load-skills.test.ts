import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { holds } from "../../../../test/support/property.ts";
import { filesUnder, ROOT, readSource } from "../../../../test/support/source.ts";
import { testWorld } from "../../../../test/support/world.ts";
import { HEAD_CHARACTERS_MAX } from "../../../base/text/markdown-head.ts";
import { encode } from "../../../base/text/text.ts";
import { trustFile } from "../../../guard/trust/ledger/item.ts";
import { readFolderItem } from "../../../guard/trust/review/read-item.ts";
import { LISTED_CHARACTERS_MAX } from "../../../safety/listed-description.ts";
import { builtinSkills } from "../builtin/builtin-skills.ts";
import { SKILL_PACKS } from "../builtin/packs.ts";
import { SkillSet } from "../skill-set.ts";
import { checkSkill } from "./check-skill.ts";
import type { LoadedSkills } from "./load-skills.ts";
import { loadSkills } from "./load-skills.ts";
import { skillProblemText } from "./skill.ts";
import { parseSkillFile } from "./skill-head.ts";
import { LISTING_BYTES_MAX, skillListSections, skillListText } from "./skill-texts.ts";
import { findFileTrigger, findPromptTrigger, parseTriggers } from "./triggers.ts";

const { files } = testWorld();

function folder(path: string, content: Readonly<Record<string, string>>) {
  const all = Object.entries(content).map(([name, text]) => trustFile(name, encode(text), 0o644));
  return { path, source: "project", files: all } as const;
}

function told({ problems }: LoadedSkills): readonly string[] {
  return problems.map(skillProblemText);
}

test("[SKL-01] twenty real skills load, those that break the rules too, each with what is in its folder", async () => {
  const root = join(ROOT, "test/data/skills");
  const loaded: LoadedSkills[] = [];
  for (const owner of readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory())) {
    for (const entry of readdirSync(join(root, owner.name), { withFileTypes: true })) {
      if (!entry.isDirectory()) continue;
      const path = join(root, owner.name, entry.name);
      const item = await readFolderItem(files, { root, path, kind: "skill", scope: "user" });
      if (item.kind !== "item") throw new Error(`${path} was not read`);
      loaded.push(await loadSkills({ path, source: "user", files: item.item.files }));
    }
  }
  const skills = loaded.flatMap((each) => each.skills);
  expect(skills).toHaveLength(filesUnder("test/data/skills", "**/SKILL.md").length);
  expect(skills).toHaveLength(20);
  expect(loaded.flatMap(told).map((problem) => problem.replace(root, ""))).toEqual([
    '/fullsend-ai+agents/finding-agent-runs/gitlab/SKILL.md:2: name: must match the name of its folder, which is "gitlab"',
  ]);
  const nested = skills.find(({ name }) => name === "finding-agent-runs-gitlab");
  expect(nested?.path).toEndWith("finding-agent-runs/gitlab");
  expect(nested?.files.map(({ path }) => path)).toEqual(["SKILL.md"]);
  const comms = skills.find(({ name }) => name === "internal-comms");
  expect(comms?.files).toHaveLength(5);
  expect(comms?.fields).toEqual({ license: "Complete terms in LICENSE.txt" });
  for (const skill of skills)
    expect(skillListText([skill], 10_000).length).toBeLessThan(LISTED_CHARACTERS_MAX + 70);
}, 300_000);

test("[SKL-01] a name that cannot be called gives way to the folder's; without either the skill is left out", async () => {
  const head = (name: string) => `---\nname: "${name}"\ndescription: d\n---\n`;
  const one = await loadSkills(folder("/s/good-one", { "SKILL.md": head("../../etc") }));
  expect([one.skills.map(({ name }) => name), told(one)]).toEqual([
    ["good-one"],
    ["/s/good-one/SKILL.md:2: name: cannot be called; the skill goes by its folder's name, good-one"],
  ]);
  const none = await loadSkills(folder("/s/a b", { "SKILL.md": head("x".repeat(65)) }));
  expect([none.skills, told(none)]).toEqual([
    [],
    ["/s/a b/SKILL.md:2: name: neither it nor the folder's name can be called; the skill is left out"],
  ]);
});

test("[SKL-01] a usable skill that breaks the specification is used, and reported as in the check", async () => {
  const head = [
    "name: Other",
    `description: ${"d".repeat(1_025)}`,
    `compatibility: ${"c".repeat(501)}`,
    "license: [MIT]",
    "metadata: words",
    "allowed_tools: Read",
    "trigger: ['*.x']",
    "argument-hint: NAME",
  ];
  const text = `---\n${head.join("\n")}\n---\nbody`;
  const loaded = await loadSkills(folder("/s/one", { "SKILL.md": text }));
  expect(loaded.skills.map(({ name, fields }) => [name, Object.keys(fields)])).toEqual([
    ["Other", ["compatibility", "license", "metadata", "allowed_tools", "trigger", "argument-hint"]],
  ]);
  const broken = [
    "/s/one/SKILL.md:2: name: must be in lowercase",
    '/s/one/SKILL.md:2: name: must match the name of its folder, which is "one"',
    "/s/one/SKILL.md:3: description: has 1025 characters, more than 1024",
    "/s/one/SKILL.md:4: compatibility: has 501 characters, more than 500",
    "/s/one/SKILL.md:5: license: must be a text",
    "/s/one/SKILL.md:6: metadata: must be a list of keys and values",
  ];
  expect(told(loaded)).toEqual([
    ...broken,
    "/s/one/SKILL.md:7: allowed_tools: is passed on unread; did you mean allowed-tools?",
    "/s/one/SKILL.md:8: trigger: is passed on unread; did you mean triggers?",
  ]);
  const checked = await checkSkill(text, { path: "/s/one/SKILL.md", folder: "one" });
  expect(checked.map(skillProblemText).slice(0, broken.length)).toEqual(broken);
  const number = await loadSkills(folder("/s/two", { "SKILL.md": "---\nname: two\ndescription: 5\n---\n" }));
  expect([number.skills, told(number)]).toEqual([
    [],
    ["/s/two/SKILL.md:3: description: must be a text; the skill is left out"],
  ]);
});

test("[SKL-01] a skill that is not UTF-8 can still be used, and its line is reported", async () => {
  const bytes = Buffer.from("---\nname: latin\ndescription: d\n---\nPrüfe.\n", "latin1");
  const file = trustFile("SKILL.md", bytes, 0o644);
  const loaded = await loadSkills({ path: "/s/latin", source: "project", files: [file] });
  expect(loaded.skills.map(({ name, body }) => [name, body])).toEqual([["latin", "Pr\ufffdfe."]]);
  expect(told(loaded)).toEqual(["/s/latin/SKILL.md:5: it is not UTF-8 text; save it as UTF-8"]);
});

test("[SKL-01] SKILL.md goes before skill.md, and folders below are skills of their own", async () => {
  const text = (name: string) => `---\nname: ${name}\ndescription: d\n---\n`;
  const loaded = await loadSkills(
    folder("/s/outer", {
      "skill.md": text("lower"),
      "SKILL.md": text("outer"),
      "inner/SKILL.md": text("inner"),
      "inner/scripts/x.sh": "x",
      "other/skill.md": text("other"),
    }),
  );
  expect(loaded.skills.map(({ name, files: all }) => [name, all.length])).toEqual([
    ["outer", 5],
    ["inner", 2],
    ["other", 1],
  ]);
  expect(loaded.skills[1]?.files.map(({ path }) => path)).toEqual(["SKILL.md", "scripts/x.sh"]);
});

test("[SKL-01] the skills in the program keep to the specification, and every pack names skills that there are", async () => {
  for (const pack of Object.values(SKILL_PACKS)) expect(builtinSkills(pack)).toHaveLength(pack.length);
  for (const name of SKILL_PACKS["builtin"] ?? []) {
    const path = `src/features/skills/builtin/${name}/SKILL.md`;
    expect(await checkSkill(readSource(path), { path, folder: name })).toEqual([]);
  }
});

test("[SKL-01 REL-06] property: no text makes a head throw, hang or lie about its lines", async () => {
  const piece = fc.constantFrom(
    ...[
      "---",
      "name: a",
      "description: b",
      "description: a: b",
      "  - x",
      "? [",
      "&a [*a]",
      "!!binary x",
      "'",
      "|",
    ],
    ...[
      "{",
      "[",
      "\t",
      "\u0000",
      "\ufeff",
      "\r",
      "name:",
      "triggers: [a]",
      "? ? ?",
      "- - -",
      "...",
      "<<: *a",
    ],
  );
  const line = fc.oneof(piece, fc.string({ unit: "binary", maxLength: 40 }));
  const text = fc.array(line, { maxLength: 30 }).map((lines) => `---\n${lines.join("\n")}\n---\nbody`);
  await holds(
    fc.asyncProperty(text, fc.boolean(), async (source, lenient) => {
      const parsed = await parseSkillFile(source, { lenient });
      const lines = source.split(/\r\n?|\n/).length;
      const at = parsed.kind === "problem" ? parsed.line : parsed.lineOf("description");
      expect(at >= 1 && at <= lines).toBe(true);
      await loadSkills(folder("/s/x", { "SKILL.md": source }));
      await checkSkill(source, { path: "x", folder: "x" });
    }),
    100,
  );
}, 300_000);

test("[SKL-01 REL-01] reading a folder of many heads yields to other work before each", async () => {
  const heads = Array.from({ length: 5 }, (_, at) => [
    `s${at}/SKILL.md`,
    `---\n${"[".repeat(100)}\n---\nx\n`,
  ]);
  let pauses = 0;
  const loaded = await loadSkills(folder("/p/many", Object.fromEntries(heads)), async () => {
    pauses += 1;
  });
  expect([pauses, loaded.skills, loaded.problems.length]).toEqual([5, [], 5]);
});

test("[SKL-01 REL-06] bombs of YAML are small: aliases count as nothing, brackets and length end it with a line", async () => {
  const aliases = ["a0: &a0 [x,x,x,x,x,x,x,x,x]"];
  for (let at = 1; at < 9; at += 1) aliases.push(`a${at}: &a${at} [${`*a${at - 1},`.repeat(9)}]`);
  const bomb = await parseSkillFile(`---\nname: n\ndescription: d\n${aliases.join("\n")}\n---\n`, {
    lenient: false,
  });
  expect(JSON.stringify(bomb.kind === "skill" ? bomb.head : "").length).toBeLessThan(5_000);
  for (const source of ["[".repeat(16_000), "{a: ".repeat(4_000), "- ".repeat(8_000), "? ".repeat(8_000)]) {
    const parsed = await parseSkillFile(`---\n${source}\n---\n`, { lenient: true });
    expect(parsed.kind).toBe("problem");
  }
  expect(await parseSkillFile(`---\n${"a".repeat(HEAD_CHARACTERS_MAX)}\n---\n`, { lenient: true })).toEqual({
    kind: "problem",
    line: 1,
    problem: `its head has more than ${HEAD_CHARACTERS_MAX} characters`,
  });
}, 300_000);

test("[SKL-02] the list is bounded in all, each line too, and says how many more there are", async () => {
  const text = (at: number) => `---\nname: skill-${at}\ndescription: ${"many words ".repeat(90)}\n---\n`;
  const loaded = await Promise.all(
    Array.from({ length: 1_200 }, (_, at) => loadSkills(folder(`/s/skill-${at}`, { "SKILL.md": text(at) }))),
  );
  const set = new SkillSet(
    loaded.flatMap(({ skills }) => skills),
    [],
  );
  expect(set.list).toHaveLength(1_000);
  expect(set.notices).toEqual(["200 skills were left out, since 1000 are loaded."]);
  const [, listing = ""] = skillListSections(set.list);
  expect(Buffer.byteLength(listing)).toBeLessThan(LISTING_BYTES_MAX + 200);
  expect(listing).toMatch(/\[\d+ more: Skill with "find" searches all of them\]/);
  for (const line of listing.split("\n").filter((each) => each.startsWith("- ")))
    expect(line.length).toBeLessThanOrEqual("- skill-999: ".length + LISTED_CHARACTERS_MAX);
}, 300_000);

test("[SKL-03] triggers are texts or a table; what is no text, too long or too many counts as nothing", () => {
  expect(
    parseTriggers({ triggers: ["*.proto", "Code  Review!", "Makefile.am", 3, null, "x".repeat(129), ""] }),
  ).toEqual({
    globs: ["*.proto", "Makefile.am"],
    keywords: ["code review"],
  });
  expect(parseTriggers({ triggers: { files: ["a/**"], keywords: "one, Two" } })).toEqual({
    globs: ["a/**"],
    keywords: ["one", "two"],
  });
  expect(parseTriggers({ triggers: 5 })).toEqual({ globs: [], keywords: [] });
  expect(parseTriggers({ triggers: Array.from({ length: 99 }, () => "word") }).keywords).toHaveLength(32);
});

test("[SKL-03] a keyword is met as whole words in any spelling, a glob by the files that a prompt names", () => {
  const triggers = parseTriggers({ triggers: ["pull request", "größe", "*.proto", "docs/**/*.md"] });
  const why = (prompt: string) => findPromptTrigger(prompt, { triggers });
  expect(why("open a Pull-Request")).toBe('the prompt says "pull request"');
  expect(why("welche GRÖSSE oder Größe?")).toBe('the prompt says "größe"');
  expect(why("pull requests")).toBeUndefined();
  expect(why("change `api/v1/user.proto`, please")).toBe("the prompt names api/v1/user.proto");
  expect(why("see @docs/a/b.md.")).toBe("the prompt names docs/a/b.md");
  expect(why("see other/a/b.md")).toBeUndefined();
  expect(findFileTrigger("deep/down/x.proto", triggers.globs)).toBe("*.proto");
});

test("[SKL-03 REL-06] property: no prompt and no glob makes matching throw", async () => {
  await holds(
    fc.property(
      fc.string({ unit: "binary", maxLength: 200 }),
      fc.string({ maxLength: 60 }),
      (prompt, glob) => {
        findPromptTrigger(`${prompt} a/b.txt`, { triggers: parseTriggers({ triggers: [`*${glob}`] }) });
      },
    ),
    300,
  );
  const stars = "*".repeat(60) + "{a,b}".repeat(12);
  findPromptTrigger("a".repeat(1_000).concat("/a.b "), {
    triggers: { globs: [stars, "**/".repeat(40)], keywords: [] },
  });
}, 300_000);
