import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory, testWorld } from "../../../test/support/world.ts";
import { SECTIONS } from "../../app/plan/sections.ts";
import { HarnessError } from "../../base/errors.ts";
import { loadConfig } from "../config.ts";

async function load(text: string): Promise<unknown> {
  await using directory = temporaryDirectory();
  const path = join(directory.path, "config.toml");
  writeFileSync(path, text);
  try {
    const { vertex, copilot } = await loadConfig(testWorld(), path, SECTIONS);
    return { vertex, copilot };
  } catch (thrown) {
    if (!(thrown instanceof HarnessError)) throw thrown;
    return thrown.message.replace(/^.*\/config\.toml:/, "config.toml:");
  }
}

test("[PROV-06 PROV-14 PROF-03] the settings of Vertex AI and Copilot are read key by key, without the slashes at the end", async () => {
  expect(await load("")).toEqual({ vertex: undefined, copilot: undefined });
  expect(await load("[vertex]\n[copilot]\n")).toEqual({ vertex: {}, copilot: {} });
  const text = `[vertex]
project = "p"
region = "eu"
base_url = "https://gateway.example/v1/"
token_url = "https://gateway.example/token"
[copilot]
github_url = "https://octo.ghe.com/"
base_url = "https://gateway.example/c"
client_id = "c"
integration_id = "i"
editor_version = "e/1"
fail_over = false
`;
  expect(await load(text)).toEqual({
    vertex: {
      project: "p",
      region: "eu",
      baseUrl: "https://gateway.example/v1",
      tokenUrl: "https://gateway.example/token",
    },
    copilot: {
      githubUrl: "https://octo.ghe.com",
      baseUrl: "https://gateway.example/c",
      clientId: "c",
      integrationId: "i",
      editorVersion: "e/1",
      failOver: false,
    },
  });
});

test("[PROV-06 PROV-14 PROF-03] an address that hides something, a header that is two, and a key that is misspelt are refused with their line", async () => {
  const refusals: readonly (readonly [line: string, problem: string])[] = [
    ['[vertex]\nbase_url = "ftp://a"', "must be an http or https URL"],
    ['[vertex]\ntoken_url = "https://u:p@a.example"', "must not hold a name or password"],
    ['[copilot]\ngithub_url = "https://a.example/?x"', "must not have a ? or # part"],
    ['[copilot]\neditor_version = "a\\r\\nb: c"', "must be one word of plain ASCII"],
    ['[copilot]\nfail_over = "no"', "must be true or false"],
    ['[vertex]\nprojekt = "p"', "projekt"],
  ];
  for (const [text, problem] of refusals) {
    const told = await load(text);
    expect([text, told]).toEqual([text, expect.stringContaining(problem)]);
    expect(told).toStartWith("config.toml:2");
  }
});
