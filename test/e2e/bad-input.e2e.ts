import { expect, test } from "bun:test";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { says } from "../support/mock-provider/turn.ts";
import { openServed } from "../support/served.ts";

const TIMEOUT_MS = 120_000;
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const PDF = btoa("%PDF-1.7\n%%EOF\n");
const WAV = btoa("RIFF\x24\0\0\0WAVEfmt ");

const block = (type: string, media_type: string, data: string) => ({
  type,
  source: { type: "base64", media_type, data },
});

test(
  "[CTL-19 ENG-25] an input with content that no model takes is refused before it is logged, and later turns run",
  async () => {
    await using served = await openServed({ script: [says("fine")] });
    const token = await served.token();
    const session = await served.session(token);
    const input = (content: readonly unknown[]) =>
      served.ask(`/v1/sessions/${session}/input?wait=turn`, token, { content });
    for (const [bad, why] of [
      [block("document", "application/zip", "UEsDBA=="), "type application/zip"],
      [block("document", "application/pdf", "UEsDBA=="), "is not what it is sent as"],
      [block("audio", "valueOf", WAV), "an unreadable type"],
      [block("audio", "audio/wav", "MH=="), "broken base64"],
      [block("image", "image/tiff", PNG), "type image/tiff"],
      [block("image", "image/jpeg", PNG), "is not what it is sent as"],
      [block("image", "constructor", PNG), "an unreadable type"],
      [block("image", "image/png", ""), "broken base64"],
    ] as const) {
      const refused = await input([{ type: "text", text: "look" }, bad]);
      expect([why, refused.status, await refused.json()]).toEqual([
        why,
        409,
        expect.objectContaining({ reason: "InvalidCommand", message: expect.stringContaining(why) }),
      ]);
    }
    for (const [unsupported, words] of [
      [block("document", "application/pdf", PDF), "PDFs"],
      [block("audio", "audio/flac", btoa("fLaC\0\0\0\x22")), "audio sent as audio/flac"],
    ] as const) {
      const refused = await input([unsupported]);
      expect([refused.status, await refused.json()]).toEqual([
        409,
        expect.objectContaining({ reason: "UnsupportedContent", message: expect.stringContaining(words) }),
      ]);
    }
    const answered = await input([{ type: "text", text: "plain" }]);
    expect(await answered.json()).toMatchObject({ reason: "complete" });
    expect(served.provider.requests).toHaveLength(1);
  },
  TIMEOUT_MS,
);

test(
  "[CTL-19 ENG-25 ENG-19] content that a later model cannot take stays in the session: a text stands for it, and it returns",
  async () => {
    await using served = await openServed({
      script: ["one", "two", "three", "four", "five", "six"].map((words) => says(words)),
    });
    const provider = `[providers.anthropic-like]\nkind = "anthropic"\nbase_url = "${served.provider.url}"\n`;
    appendFileSync(join(served.home.path, "config/cinch/config.toml"), provider);
    await served.kill();
    await served.start();
    const token = await served.token();
    let session = await served.session(token);
    const command = async (fields: Readonly<Record<string, unknown>>) => {
      const answer = await served.ask(`/v1/sessions/${session}/command`, token, fields);
      return { status: answer.status, body: (await answer.json()) as Readonly<Record<string, unknown>> };
    };
    const turn = async (...content: readonly unknown[]) => {
      const answer = await served.ask(`/v1/sessions/${session}/input?wait=turn`, token, { content });
      return await answer.json();
    };
    const text = (words: string) => ({ type: "text", text: words });
    const complete = { reason: "complete" };
    const sent = () => JSON.stringify(served.provider.requests.at(-1)?.body);
    const STAND_IN = "[a PDF of 15 bytes (application/pdf) was here, which this model cannot take]";

    expect(await command({ kind: "SetModel", model: "anthropic-like:one" })).toMatchObject({ status: 200 });
    const pdf = block("document", "application/pdf", PDF);
    expect(await turn(text("read"), pdf, block("image", "image/png", PNG))).toMatchObject(complete);
    expect([sent().includes(PDF), sent().includes(PNG)]).toEqual([true, true]);

    await command({ kind: "SetModel", model: "mock:one" });
    for (const words of ["and now", "and then"]) {
      expect(await turn(text(words))).toMatchObject(complete);
      expect([sent().includes(PDF), sent().includes(PNG), sent().includes(STAND_IN)]).toEqual([
        false,
        true,
        true,
      ]);
    }
    const info = await served.ask(`/v1/sessions/${session}?last=1000`, token);
    expect((await info.text()).split('"reason":"ContentLeftOut"')).toHaveLength(2);

    expect(await command({ kind: "EndSession" })).toMatchObject({ status: 200 });
    session = String((await command({ kind: "AttachSession" })).body["sessionId"]);
    expect(await turn(text("again"))).toMatchObject(complete);
    await command({ kind: "SetModel", model: "anthropic-like:one" });
    expect(await turn(text("back"))).toMatchObject(complete);
    expect([sent().includes(PDF), sent().includes(STAND_IN)]).toEqual([true, false]);

    await command({ kind: "SetModel", model: "mock:one" });
    const compacted = await command({ kind: "CompactSession" });
    expect([compacted.status, compacted.body]).toMatchObject([200, { result: { compacted: true } }]);
    expect(sent()).not.toContain(PDF);
  },
  TIMEOUT_MS,
);
