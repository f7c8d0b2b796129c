import { expect, test } from "bun:test";
import { runCinch } from "../support/cinch.ts";
import { says } from "../support/mock-provider/turn.ts";
import { openServed } from "../support/served.ts";

test("[SES-06 CTL-19 REL-01] a draft, a mark and a title that were acknowledged survive a kill -9, in a session without a prompt too", async () => {
  await using served = await openServed({ script: [says("one")] });
  const token = await served.token();
  const session = await served.session(token);
  const at = `/v1/sessions/${session}`;
  await served.ask("/v1/handshake?version=0.3.0", token);
  const posts = [
    [`${at}/draft`, { text: "half a sentence", reader: "me" }],
    [`${at}/rename`, { title: "my title" }],
    [`${at}/read`, { event: 0, reader: "me" }],
  ] as const;
  for (const [path, body] of posts)
    expect([path, (await served.ask(path, token, body)).status]).toEqual([path, 200]);
  await served.kill();
  await served.start();
  const again = await served.token();
  expect(await (await served.ask(`${at}/draft?reader=me`, again)).json()).toMatchObject({
    text: "half a sentence",
  });
  expect(await (await served.ask(`${at}?last=0&reader=me`, again)).json()).toMatchObject({
    title: "my title",
    renamed: true,
    live: false,
    unread: 0,
  });
});

test("[CLI-01 CTL-19 SES-06] cinch sessions renames, archives and deletes, and lists what is left", async () => {
  await using served = await openServed({ script: [says("one")] });
  const token = await served.token();
  const session = await served.session(token);
  const cinch = async (...words: string[]) =>
    await runCinch(["sessions", ...words], { home: served.home, cwd: served.work });
  const listed = async (...flags: string[]) => {
    const { stdout } = await cinch("list", "--json", ...flags);
    return stdout
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as { readonly session: string; readonly title: string });
  };
  const renamed = await cinch("rename", session, "Fix", "the parser", "--json");
  expect(JSON.parse(renamed.stdout)).toMatchObject({ session, title: "Fix the parser" });
  expect(await listed()).toMatchObject([{ session, title: "Fix the parser", renamed: true }]);
  expect((await cinch("rename", session, "x".repeat(201))).code).toBe(2);
  expect((await cinch("archive", session)).stderr).toContain("is archived");
  expect(await listed()).toEqual([]);
  expect(await listed("--archived")).toMatchObject([{ session, archived: true }]);
  expect((await cinch("unarchive", session)).code).toBe(0);
  expect((await cinch("delete", session, "--yes")).code).not.toBe(0); // the engine has it
  await served.end("SIGTERM");
  expect((await cinch("delete", session, "--yes")).code).toBe(0);
  expect(await listed("--archived")).toEqual([]);
});
