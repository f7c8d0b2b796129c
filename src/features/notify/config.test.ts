import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory, testWorld } from "../../../test/support/world.ts";
import { SECTIONS } from "../../app/plan/sections.ts";
import { messageOf } from "../../base/errors.ts";
import { loadConfig } from "../../config/config.ts";
import { settingsOf } from "../../config/settings/settings.ts";
import { notifySection } from "./config.ts";

async function settings(text: string) {
  await using directory = temporaryDirectory();
  const path = join(directory.path, "config.toml");
  writeFileSync(path, `[notify]\n${text}\n`);
  const config = await loadConfig(testWorld(), path, SECTIONS);
  return settingsOf(notifySection, { config });
}

test("[CTL-19 PROF-03] notifications are off and without content unless the user says otherwise", async () => {
  expect(await settings("")).toMatchObject({
    desktop: false,
    bell: false,
    content: false,
    format: "json",
    events: ["turn-end", "question", "error"],
  });
  for (const url of [
    "https://ntfy.sh/x",
    "http://127.0.0.1:8080/x?key=1",
    "http://localhost/",
    "http://[::1]:9/",
  ])
    expect((await settings(`url = "${url}"`)).url).toBe(url);
});

test("[CTL-19 PROF-03] each wrong value of [notify] is refused with its line and what to write, and no address is repeated", async () => {
  const wrong: readonly (readonly [string, string])[] = [
    ['url = "nowhere-secret"', "url: is not an address: write a whole URL"],
    ['url = "http://tools.example/secret"', "url: must begin with https://"],
    ['url = "http://10.0.0.7/secret"', "url: must begin with https://"],
    ['url = "http://127.0.0.1.secret.example/"', "url: must begin with https://"],
    ['url = "ftp://tools.example/secret"', "url: must begin with https://"],
    ['url = "file:///secret"', "url: must begin with https://"],
    [
      'url = "https://me:secret@tools.example/"',
      "url: holds a name or a password: name the variable of a token in token_env",
    ],
    ['url = "https://tools.example/#secret"', "url: has a # part"],
    [`url = "https://tools.example/${"x".repeat(2_048)}"`, "url: is not an address"],
    ["url = 7", "url"],
    ['format = "slack"', "format"],
    [
      'token_env = "tk secret"',
      "token_env: must be the name of an environment variable, never the token itself",
    ],
    ['token_env = ""', "token_env"],
    ['host = "a\\nb"', "host: must be 1 to 64 printable ASCII characters"],
    ['host = ""', "host: must be 1 to 64 printable ASCII characters"],
    ["events = []", "events: must name at least one of turn-end, question, error"],
    ['events = ["turn_end"]', 'events: "turn_end" is not an event. Did you mean turn-end?'],
    ['events = "error"', "events"],
    ['bell = "yes"', "bell"],
    ['content = "all"', "content"],
    ['urls = ["https://tools.example"]', "urls"],
  ];
  for (const [text, problem] of wrong) {
    const message = await settings(text).then(() => "accepted", messageOf);
    expect([text, message]).toEqual([text, expect.stringContaining(`config.toml:2: notify.${problem}`)]);
    expect(message).not.toContain("secret");
  }
});
