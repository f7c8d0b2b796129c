import { describe, expect, test } from "bun:test";
import { settle } from "../../../../test/support/fake-clock.ts";
import { fakeServices, linesOf } from "../../../../test/support/terminal-parts.ts";
import { HarnessError } from "../../../base/errors.ts";
import type { Command } from "../../../protocol/commands/commands.ts";
import type { Transcript } from "../../../view/transcript/transcript.ts";
import { NEW_TRANSCRIPT } from "../../../view/transcript/transcript.ts";
import { draftImage } from "../images/draft-image.ts";
import { ImageUploads } from "../images/image-uploads.ts";
import { DRAFT_PAUSE_MS, DRAFT_READER } from "./draft-keeper.ts";
import { InputPart } from "./input-part.ts";
import type { OutgoingMessage } from "./message.ts";

const SIZE = { columns: 40, rows: 12 };
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const LONG = Array.from({ length: 12 }, (_, at) => `pasted ${at}`).join("\n");
const LONG_PROMPT = `begin ${"word ".repeat(60)}end`;

function transcriptOf(...prompts: readonly string[]): Transcript {
  const items = prompts.map((text, at) => ({
    kind: "prompt",
    event: at + 1,
    ts: `2026-01-01T00:00:0${at}.000Z`,
    turn: at + 1,
    content: [{ type: "text", text }],
  }));
  return { reached: 9, segments: [{ first: 1, last: 9, weight: 0, items }] } as unknown as Transcript;
}

interface Rig {
  readonly transcript?: Transcript;
  /** Answers to queries by their kind. */
  readonly answers?: Readonly<Record<string, unknown>>;
}

function openInput({ transcript = NEW_TRANSCRIPT, answers = {} }: Rig = {}) {
  const fake = fakeServices();
  const sent: string[] = [];
  const messages: OutgoingMessage[] = [];
  const ran: string[] = [];
  const services = {
    ...fake,
    run: (action: string) => void ran.push(action),
    session: {
      ...fake.session,
      transcript,
      query: async (query: { readonly kind: string }) =>
        answers[query.kind] ?? new HarnessError("UnknownResource", { what: query.kind } as never),
    },
  } as unknown as typeof fake;
  const input = new InputPart({
    services,
    uploads: new ImageUploads(services.session),
    outgoing: { slow: [] },
    workingDir: "/work",
    send: (message) => {
      sent.push(message.text);
      messages.push(message);
    },
  });
  const screen = () => linesOf(input.draw(SIZE).rows);
  const drafts = () =>
    fake.sent.flatMap((command: Command) =>
      command.kind === "SetDraft" && command.reader === DRAFT_READER ? [command.text] : [],
    );
  screen();
  return { fake, input, sent, messages, ran, screen, drafts };
}

describe("the draft", () => {
  test("[TUI-01] a backslash before Enter begins a new line, and Enter sends", () => {
    const { input, sent, screen } = openInput();
    input.type("one\\");
    input.act("input.send");
    input.type("two");
    expect(screen()).toBe("> one\n  two");
    input.act("input.send");
    expect(sent).toEqual(["one\ntwo"]);
    expect(screen()).toBe("> ");
  });

  test("[TUI-08 bar Paste complaint 20] a long paste is shown by its size, sent whole, and comes back as it was", async () => {
    const { input, sent, screen } = openInput();
    input.type("see ");
    input.paste(LONG);
    expect(screen()).toBe("> see [pasted #1: 12 lines]");
    input.act("input.send");
    expect(sent).toEqual([`see ${LONG}`]);
    input.bringBack(sent[0] ?? "");
    expect(screen()).toBe("> see [pasted #1: 12 lines]");
    input.clear();
    input.act("edit.up");
    await settle();
    expect(screen()).toBe("> see [pasted #1: 12 lines]");
  });

  test("[TUI-08 bar Draft] stash puts a draft aside and brings it back", () => {
    const { input, fake, screen } = openInput();
    input.act("input.stash");
    expect(fake.said).toEqual(["Nothing is stashed."]);
    input.type("later");
    input.act("input.stash");
    expect(screen()).toBe("> ");
    input.type("now");
    input.act("input.send");
    input.act("input.stash");
    expect(screen()).toBe("> later");
  });
});

describe("images", () => {
  const png = () => {
    const image = draftImage(new Uint8Array(PNG), "shot.png");
    if (image === undefined) throw new Error("no image");
    return image;
  };

  test("[TUI-08] an image is one character of the draft, goes along, and comes back with its message", () => {
    const { input, messages, screen } = openInput();
    input.type("see ");
    input.insertImage(png());
    expect(screen()).toBe("> see [image 1: shot.png 1x1, 70 bytes]");
    input.act("input.send");
    const [message] = messages;
    expect(message?.text).toBe("see [image 1: shot.png 1x1, 70 bytes]");
    expect(message?.images).toHaveLength(1);
    input.insertImage(png());
    input.type(" typed meanwhile");
    input.restore(messages);
    expect(screen()).toBe(
      "> see [image 2: shot.png 1x1, 70 bytes]\n  [image 1: shot.png 1x1, 70 bytes] \n  typed meanwhile",
    );
    input.act("input.send");
    expect(messages[1]?.images).toHaveLength(2);
  });

  test("[TUI-08] undo takes an image out again, and a message takes 16 at most", () => {
    const { input, fake, screen } = openInput();
    input.insertImage(png());
    input.act("edit.undo");
    expect(screen()).toBe("> ");
    for (let count = 0; count < 17; count += 1) input.insertImage(png());
    expect(fake.said.at(-1)).toContain("at most 16 images");
  });
});

describe("the queue", () => {
  test("[ENG-26 bar Queue] a message that was taken back keeps its place until the draft is empty", () => {
    const { input, messages } = openInput();
    const fromQueue = { ahead: ["inp_2" as never] };
    input.restore([{ text: "one", images: [], fromQueue }]);
    input.type("!");
    input.act("input.send");
    expect(messages[0]).toEqual({ text: "one!", images: [], fromQueue });
    input.restore([{ text: "one", images: [], fromQueue }]);
    input.clear();
    input.type("another");
    input.act("input.send");
    expect(messages[1]).toEqual({ text: "another", images: [] });
  });

  test("[ENG-26] messages come back in their order, before what is in the draft, and undo knows the draft before", () => {
    const { input, screen } = openInput();
    input.type("draft");
    input.restore(["one", "two"].map((text) => ({ text, images: [] })));
    expect(screen()).toBe("> one\n  two\n  draft");
    input.act("edit.undo");
    expect(screen()).toBe("> draft");
  });
});

describe("history", () => {
  test("[TUI-01 bar History] up and down walk earlier prompts, and the draft comes back", async () => {
    const { input, screen } = openInput({ transcript: transcriptOf("first", "second\nline") });
    input.type("draft");
    input.act("edit.up");
    await settle();
    expect(screen()).toBe("> second\n  line");
    input.act("edit.up");
    await settle();
    expect(screen()).toBe("> first");
    input.act("edit.up");
    await settle();
    expect(screen()).toBe("> first");
    input.act("edit.down");
    await settle();
    input.act("edit.down");
    await settle();
    expect(screen()).toBe("> draft");
  });

  test("[TUI-08 complaint 15] the draft from before a walk is in the history once an earlier prompt is edited or sent", async () => {
    for (const leave of ["edit", "send"]) {
      const { input, screen } = openInput({ transcript: transcriptOf("first") });
      input.type("precious");
      input.act("edit.up");
      await settle();
      expect(screen()).toBe("> first");
      if (leave === "edit") input.type("!");
      else input.act("input.send");
      input.replace("");
      for (const _ of ["first", "precious"]) {
        input.act("edit.up");
        await settle();
      }
      expect(screen()).toBe("> precious");
    }
  });

  test("[TUI-08 complaint 15] a draft that was cleared comes back with up, and with undo", async () => {
    const { input, screen } = openInput();
    input.type("precious");
    input.clear();
    expect(screen()).toBe("> ");
    input.act("edit.up");
    await settle();
    expect(screen()).toBe("> precious");
    input.act("edit.down");
    input.act("edit.undo");
    expect(screen()).toBe("> precious");
  });

  test("[TUI-01] prompts of other sessions of the folder follow, and a long one is read whole", async () => {
    const started_at = "2025-01-01T00:00:00.000Z";
    const events = [
      {
        id: 1,
        session: "sess_1",
        ts: started_at,
        kind: "TurnStarted",
        payload: { turn: 1, originator: "cli_1", content: [{ type: "text", text: LONG_PROMPT }] },
      },
    ];
    const { input, screen } = openInput({
      transcript: transcriptOf("newest"),
      answers: {
        ListSessions: {
          sessions: [
            { session: "sess_1", working_dir: "/work" },
            { session: "sess_2", working_dir: "/elsewhere" },
          ],
        },
        ListTurns: { turns: [{ turn: 1, started_at, prompt: `${LONG_PROMPT.slice(0, 239)}…` }] },
        ListItems: { items: [{ kind: "prompt", event: 1 }] },
        GetItem: { events },
      },
    });
    input.act("edit.up");
    await settle();
    input.act("edit.up");
    await settle();
    expect(input.text).toBe(LONG_PROMPT);
    expect(screen()).toContain("> begin word");
  });

  test("[TUI-01] prompts of other folders are left out", async () => {
    const { input } = openInput({
      answers: {
        ListSessions: { sessions: [{ session: "sess_2", working_dir: "/elsewhere" }] },
        ListTurns: { turns: [{ turn: 1, started_at: "2025-01-01T00:00:00.000Z", prompt: "elsewhere" }] },
      },
    });
    input.act("edit.up");
    await settle();
    expect(input.text).toBe("");
  });

  test("[TUI-01 bar History] Ctrl-R finds a prompt by its words, shows it, and takes it", async () => {
    const { input, fake } = openInput({
      transcript: transcriptOf("fix the parser\nof dates", "write a parser"),
    });
    input.type("draft");
    input.act("input.history");
    const [overlay] = fake.overlays;
    const shown = () => linesOf(overlay?.draw(SIZE).rows ?? []);
    expect(shown()).toBe("Earlier prompts: 1 of 2\n> write a parser\n  fix the parser of dates\n> ");
    overlay?.type?.("PARSER fix");
    expect(shown()).toBe(
      "Earlier prompts: 1 of 1\n> fix the parser of dates\n  │ fix the parser\n  │ of dates\n> PARSER fix",
    );
    overlay?.act("list.choose");
    await settle();
    expect(fake.overlays).toEqual([]);
    expect(input.text).toBe("fix the parser\nof dates");
    input.clear();
    input.act("edit.up");
    input.act("edit.up");
    await settle();
    expect(["draft", "fix the parser\nof dates"]).toContain(input.text);
  });
});

describe("kept drafts", () => {
  test("[TUI-10 complaint 16] a draft is kept after a pause, once, and removed when it is sent", async () => {
    const { input, fake, drafts } = openInput();
    input.type("ab");
    await fake.clock.advance(DRAFT_PAUSE_MS - 1);
    input.type("c");
    await fake.clock.advance(DRAFT_PAUSE_MS - 1);
    expect(drafts()).toEqual([]);
    await fake.clock.advance(1);
    expect(drafts()).toEqual(["abc"]);
    input.type("d");
    input.act("edit.deleteBack");
    await fake.clock.advance(DRAFT_PAUSE_MS);
    expect(drafts()).toEqual(["abc"]);
    input.act("input.send");
    await fake.clock.advance(DRAFT_PAUSE_MS);
    expect(drafts()).toEqual(["abc", ""]);
  });

  test("[TUI-10] a kept draft comes back before what was typed meanwhile", async () => {
    const { input } = openInput({ answers: { GetDraft: { text: "kept" } } });
    input.type("typed");
    await input.attached();
    expect(input.text).toBe("kept\ntyped");
  });

  test("[TUI-10] a draft that cannot be kept stays, and is tried again with the next change", async () => {
    const { input, fake, drafts } = openInput();
    fake.reply = new HarnessError("UnknownResource", { what: "x" } as never);
    input.type("a");
    await fake.clock.advance(DRAFT_PAUSE_MS);
    fake.reply = undefined;
    input.type("b");
    await fake.clock.advance(DRAFT_PAUSE_MS);
    expect(drafts()).toEqual(["a", "ab"]);
    expect(input.text).toBe("ab");
  });
});

describe("vim keys", () => {
  test("[TUI-11 complaint 29] are switched on and off, show their mode, and leave Escape to the turn in normal mode", () => {
    const { input, ran, screen, sent } = openInput();
    input.act("vim.toggle");
    expect(input.contexts).toEqual(["vimInsert", "vim", "emptyDraft", "input"]);
    input.type("one two");
    input.act("vim.normal");
    expect(screen()).toBe("N one two");
    input.type("db");
    expect(screen()).toBe("N one o");
    input.type("u");
    input.act("vim.redo");
    expect(screen()).toBe("N one o");
    expect(ran).toEqual([]);
    input.act("vim.normal");
    expect(ran).toEqual(["turn.cancel"]);
    input.act("input.send");
    expect(sent).toEqual(["one o"]);
    input.act("vim.toggle");
    expect(input.contexts).toEqual(["emptyDraft", "input"]);
    expect(screen()).toBe("> ");
  });
});
