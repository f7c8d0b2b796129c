import { expect, test } from "bun:test";
import { encode } from "../../base/text/text.ts";
import { trustFile } from "../../guard/trust/ledger/item.ts";
import { readPromptFiles } from "./read-prompt-files.ts";

function aliasFile(path: string, scope: "project" | "user", text: string) {
  return { kind: "alias-file", path, scope, files: [trustFile("", encode(text), 0o644)] } as const;
}

test("[CMD-02] each wrong alias is reported with its line and disables its file; other files still count", async () => {
  const { aliases, notices: told } = await readPromptFiles([
    aliasFile(
      "/u/aliases.toml",
      "user",
      '[aliases]\nrv = "/prompts:review"\nhelp = "/prompts:x"\nx = "y"\n2z = 1\nok = "/skills:a"\n',
    ),
    aliasFile("/p/aliases.toml", "project", '[aliases]\ngp = "/skills:plan"\n'),
  ]);
  expect([...aliases]).toEqual([["gp", "/skills:plan"]]);
  const wrong = [
    "3: aliases.help: /help is a built-in command, and cannot be replaced",
    '4: aliases.x: must be a command with a namespace: "/skills:name"',
    "5: aliases.2z: must be a text",
  ];
  expect(told).toEqual(
    wrong.map((problem) => ({
      weight: "error",
      text: `/u/aliases.toml:${problem}; until that is right, no alias of this file counts`,
      key: expect.any(String),
    })),
  );
});
