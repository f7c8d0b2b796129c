import { describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { blocksOf } from "../../../../test/support/documents.ts";
import { readSource } from "../../../../test/support/source.ts";
import { temporaryDirectory, testWorld } from "../../../../test/support/world.ts";
import { checkSkills } from "../skills-review.ts";
import { checkSkill } from "./check-skill.ts";
import { skillProblemText } from "./skill.ts";
import { parseSkillFile } from "./skill-head.ts";

interface Case {
  readonly name: string;
  readonly check: "validate" | "parse" | "read" | "find";
  readonly input: {
    readonly kind: "dir" | "file" | "missing" | "text";
    readonly dir?: string;
    readonly files?: Readonly<Record<string, string>>;
    readonly text?: string;
  };
  readonly expect: {
    readonly valid?: boolean;
    readonly parses?: boolean;
    readonly found?: string | null;
    readonly fields?: Readonly<Record<string, unknown>>;
    readonly body_contains?: string;
  };
}

const CASES: readonly Case[] = JSON.parse(readSource("test/data/skills/skills-ref-cases.json"));
const { files } = testWorld();

async function checked({ input }: Case) {
  await using directory = temporaryDirectory();
  const path = join(directory.path, input.dir ?? "missing");
  if (input.kind === "dir") mkdirSync(path);
  if (input.kind === "file") writeFileSync(path, "x");
  for (const [name, text] of Object.entries(input.files ?? {})) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), text);
  }
  const { checked: count, problems } = await checkSkills(files, [path]);
  return { count, errors: problems.filter(({ severity }) => severity === "error") };
}

describe("[SKL-01] the reference validator's cases:", () => {
  test("there are 23 of them", () => expect(CASES).toHaveLength(23));

  for (const each of CASES) {
    test(each.name, async () => {
      const { expect: wanted, input, check } = each;
      const text = input.text ?? Object.values(input.files ?? {})[0] ?? "";
      const parsed = await parseSkillFile(text, { lenient: false });
      if (check === "parse" && wanted.parses === false) expect(parsed.kind).toBe("problem");
      if (wanted.fields !== undefined)
        expect(parsed).toMatchObject({ kind: "skill", head: wanted.fields as Record<string, string> });
      if (wanted.body_contains !== undefined)
        expect(parsed).toMatchObject({ body: expect.stringContaining(wanted.body_contains) });
      if (check === "parse") return;
      const { count, errors } = await checked(each);
      if (check === "find") expect(count).toBe(wanted.found === null ? 0 : 1);
      else
        expect({ errors: errors.length > 0 }).toEqual({ errors: (wanted.valid ?? wanted.parses) === false });
    });
  }
});

test("[SKL-01] a mistake is reported with file, line and field, and with the field that was meant", async () => {
  const head = [
    "---",
    "name: -Bad--Name",
    "descripton: none",
    "compatibility: [a]",
    "metadata: text",
    "triggers: ['*.x']",
    "---",
  ];
  const problems = await checkSkill(`${head.join("\n")}\nbody`, { path: "p/SKILL.md", folder: "p" });
  expect(problems.map((each) => `${each.severity} ${skillProblemText(each)}`)).toEqual([
    "error p/SKILL.md:2: name: must be in lowercase",
    "error p/SKILL.md:2: name: must not begin or end with a hyphen",
    "error p/SKILL.md:2: name: must not have two hyphens in a row",
    'error p/SKILL.md:2: name: must match the name of its folder, which is "p"',
    "error p/SKILL.md:1: description: is missing",
    "error p/SKILL.md:4: compatibility: must be a text",
    "error p/SKILL.md:5: metadata: must be a list of keys and values",
    "error p/SKILL.md:3: descripton: is not a field of the specification; did you mean description?",
    "warning p/SKILL.md:6: triggers: is read by cinch, but not part of the open specification: other programs ignore it",
  ]);
});

test("[SKL-01] a text with a colon in it, and a name that cinch leaves out, are reported with a remedy", async () => {
  const colon = await checkSkill("---\nname: p\ndescription: this: that\n---\nbody", {
    path: "S",
    folder: "p",
  });
  expect(colon.map(skillProblemText)).toEqual([
    "S:3: Nested mappings are not allowed in compact mappings; a text with a colon and a space in it stands in quotes",
  ]);
  const reload = await checkSkill("---\nname: reload\ndescription: x\n---\nbody", {
    path: "S",
    folder: "reload",
  });
  expect(reload.map((each) => `${each.severity} ${skillProblemText(each)}`)).toEqual([
    "warning S:2: name: /skills:reload is a command of cinch, which leaves this skill out",
  ]);
});

test("[SKL-01] limits of length are counted in characters", async () => {
  const check = async (name: string, description: string) =>
    (
      await checkSkill(`---\nname: ${name}\ndescription: "${description}"\n---\nb`, {
        path: "S",
        folder: name,
      })
    ).map(skillProblemText);
  expect(await check("a".repeat(64), "é".repeat(1_024))).toEqual([]);
  expect(await check("a".repeat(65), "😀".repeat(1_025))).toEqual([
    "S:2: name: has 65 characters, more than 64",
    "S:3: description: has 1025 characters, more than 1024",
  ]);
});

test("[DOC-01 SKL-01] the skill that the page shows keeps to the specification, but for its triggers", async () => {
  const page = "docs/skills.md";
  const [block] = blocksOf(page, readSource(page)).filter(({ language }) => language === "markdown");
  const problems = await checkSkill(block?.text ?? "", { path: page, folder: "release-notes" });
  expect(problems.map(({ field, severity }) => [field, severity])).toEqual([["triggers", "warning"]]);
});
