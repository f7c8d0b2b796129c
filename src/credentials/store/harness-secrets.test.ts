import { expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { holds } from "../../../test/support/property.ts";
import { temporaryDirectory } from "../../../test/support/world.ts";
import { KEY_VARIABLES } from "../env-keys.ts";
import { parseVariables, readHarnessSecrets } from "./harness-secrets.ts";

const LINE = "ZAI_API_KEY=the-key\n";

test("[CRED-02] known names count, with or without export and quotes; nothing else does", async () => {
  const text = `# a comment\nexport ZAI_API_KEY='one'\r\n OPENAI_API_KEY="two" \nBASH_ENV=x\nCINCH_MACHINE_KEY=y\nPATH=z\nZAI_API_KEY_2=no\nANTHROPIC_API_KEY\n`;
  expect(parseVariables(text, KEY_VARIABLES)).toEqual({ ZAI_API_KEY: "one", OPENAI_API_KEY: "two" });
  await holds(
    fc.property(fc.string(), (anything) => {
      for (const name of Object.keys(parseVariables(anything, KEY_VARIABLES)))
        expect(KEY_VARIABLES).toContain(name);
    }),
  );
});

test("[CRED-02] the file counts from a folder below its repository's root, and not from outside the repository", async () => {
  await using folder = temporaryDirectory();
  const repository = join(folder.path, "repository");
  const deep = join(repository, "src/deep");
  mkdirSync(join(repository, ".git"), { recursive: true });
  mkdirSync(deep, { recursive: true });
  put(folder.path, LINE);
  expect((await readHarnessSecrets(deep, KEY_VARIABLES)).variables).toEqual({});
  put(repository, LINE);
  expect(await readHarnessSecrets(deep, KEY_VARIABLES)).toEqual({ variables: { ZAI_API_KEY: "the-key" } });
});

test("[CRED-02 S54] a file or folder that is a link, and an index that cannot be parsed, are refused and reported", async () => {
  await using folder = temporaryDirectory();
  const [one, two, three] = ["one", "two", "three"].map((name) => join(folder.path, name)) as [
    string,
    string,
    string,
  ];
  for (const each of [one, two, three]) mkdirSync(join(each, ".git"), { recursive: true });
  put(folder.path, LINE);
  mkdirSync(join(one, ".harness-secrets"));
  symlinkSync(join(folder.path, ".harness-secrets/env"), join(one, ".harness-secrets/env"));
  symlinkSync(join(folder.path, ".harness-secrets"), join(two, ".harness-secrets"));
  put(three, LINE);
  writeFileSync(join(three, ".git/index"), "not an index");
  const problems = [one, two, three].map(async (at) => await readHarnessSecrets(at, KEY_VARIABLES));
  expect(
    (await Promise.all(problems)).map(({ variables, problem }) => [variables, problem?.split(": it ")[1]]),
  ).toEqual([
    [{}, "is reached through a link."],
    [{}, "is reached through a link."],
    [{}, "is tracked by git, so everybody who has the repository has it."],
  ]);
});

function put(directory: string, text: string): void {
  mkdirSync(join(directory, ".harness-secrets"), { recursive: true });
  writeFileSync(join(directory, ".harness-secrets/env"), text, { mode: 0o600 });
}
