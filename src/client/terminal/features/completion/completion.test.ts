import { expect, test } from "bun:test";
import { settle } from "../../../../../test/support/fake-clock.ts";
import { fakeServices, linesOf } from "../../../../../test/support/terminal-parts.ts";
import { ImageUploads } from "../../images/image-uploads.ts";
import { InputPart } from "../../input/input-part.ts";
import { completion } from "./completion.ts";

type Item = { readonly insert: string; readonly kind: "file" | "folder" | "argument" };

/** Opens a draft with its list; the test answers the queries of the engine. */
function openDraft() {
  const fake = fakeServices();
  const asked: { readonly text: string; readonly answer: (...items: readonly Item[]) => Promise<void> }[] =
    [];
  const sent: string[] = [];
  const ran: string[] = [];
  const services = {
    ...fake,
    run(action: string) {
      ran.push(action);
      input.act(action as never);
    },
    get draft() {
      return input;
    },
    session: {
      ...fake.session,
      query: async (query: { readonly kind: string; readonly text?: string; readonly cursor?: number }) => {
        if (query.kind !== "Complete") return { slash_commands: [] };
        const { promise, resolve } = Promise.withResolvers<unknown>();
        const { text = "", cursor = 0 } = query;
        const from = Math.max(text.lastIndexOf("@"), text.lastIndexOf(" ") + 1);
        asked.push({
          text,
          async answer(...items) {
            const found = items.map(({ insert, kind }) => ({ insert, kind, label: insert.replace("@", "") }));
            resolve({ from, to: cursor, items: found, more: false });
            await settle();
          },
        });
        return await promise;
      },
    },
  } as unknown as typeof fake;
  const input: InputPart = new InputPart({
    services,
    uploads: new ImageUploads(services.session),
    outgoing: { slow: [] },
    workingDir: "/work",
    send: ({ text }) => void sent.push(text),
  });
  const list = completion(services);
  const press = (action: Parameters<InputPart["act"]>[0]) => input.act(action);
  return { input, asked, sent, ran, press, shown: () => linesOf(list.above?.(60) ?? []) };
}

test("[TUI-08 bar @] a stale answer never replaces a newer one, and no key waits for the engine", async () => {
  const { input, asked, shown } = openDraft();
  input.type("@a");
  input.type("b");
  input.type("c");
  expect(input.text).toBe("@abc");
  await settle();
  expect(asked.map(({ text }) => text)).toEqual(["@a"]); // one question at a time
  await asked[0]?.answer({ insert: "@a-old", kind: "file" });
  expect(shown()).toBe("");
  expect(asked.map(({ text }) => text)).toEqual(["@a", "@abc"]);
  await asked[1]?.answer({ insert: "@abc.ts", kind: "file" }, { insert: "@xabcd.ts", kind: "file" });
  expect(shown()).toStartWith("▸ abc.ts\n  xabcd.ts\n  1/2");
  input.type("d");
  expect(shown()).toStartWith("▸ xabcd.ts\n  1/1"); // what is known is narrowed at once
});

test("[TUI-06] a list that was closed takes no answer, stays closed for its word, and opens for the next", async () => {
  const { input, asked, press, shown } = openDraft();
  input.type("@a");
  await settle();
  press("edit.left");
  await asked[0]?.answer({ insert: "@a.ts", kind: "file" });
  expect([shown(), input.contexts]).toEqual(["", ["input"]]);
  press("edit.right");
  input.type("/co");
  expect(input.contexts).toEqual(["input"]); // no command at this place
  const other = openDraft();
  other.input.type("/co");
  expect(other.input.contexts).toEqual(["completion", "input"]);
  other.press("completion.leave");
  other.input.type("s");
  expect([other.shown(), other.input.contexts]).toEqual(["", ["input"]]);
  for (let at = 0; at < 4; at += 1) other.press("edit.deleteBack");
  other.input.type("/co");
  expect(other.input.contexts).toEqual(["completion", "input"]);
});

test("[TUI-06 CMD-01] Enter sends a command that needs no words, takes one that does, and sends what is written", async () => {
  const { input, sent, press } = openDraft();
  input.type("/heal");
  press("completion.run");
  expect(sent).toEqual(["/health"]);
  input.type("/eff");
  press("completion.run");
  expect([input.text, sent.length]).toEqual(["/effort ", 1]);
  input.type("high");
  press("input.send");
  expect(sent.at(-1)).toBe("/effort high");
  input.type("/effort");
  press("completion.run");
  expect(sent.at(-1)).toBe("/effort");
});

test("[TUI-08] behind a command, a word that only resembles an entry is sent as it is written", async () => {
  const { input, asked, sent, press } = openDraft();
  input.type("/resume 1");
  await settle();
  await asked[0]?.answer({ insert: "sess_x1", kind: "argument" });
  press("completion.run");
  expect(sent).toEqual(["/resume 1"]);
});

test("[TUI-08 bar @] a colon behind a path that was taken stands right behind it, for lines", async () => {
  const { input, asked, press } = openDraft();
  input.type("see @a");
  await settle();
  await asked[0]?.answer({ insert: "@a.ts", kind: "file" });
  press("completion.take");
  expect(input.text).toBe("see @a.ts ");
  input.type(":");
  expect(input.text).toBe("see @a.ts:");
});

test("[TUI-06] an earlier prompt that is brought back opens no list", () => {
  const { input } = openDraft();
  input.bringBack("/cost");
  expect(input.contexts).toEqual(["input"]);
});

test("[CMD-01] Tab writes what all commands share that begin so, and then takes the chosen one", () => {
  const { input, press, shown } = openDraft();
  input.type("/sk");
  press("completion.take");
  expect(input.text).toBe("/skills:");
  expect(shown()).toStartWith("▸ /skills:reload");
  press("completion.take");
  expect(input.text).toBe("/skills:reload");
});

test("[TUI-08 bar @] an at sign in a folder without files says so, until more is typed", async () => {
  const { input, asked, shown } = openDraft();
  input.type("@");
  await settle();
  expect(shown()).toBe("");
  await asked[0]?.answer();
  expect(shown()).toBe("  There are no files in this folder yet.");
  input.type("a");
  expect(shown()).toBe("");
});
