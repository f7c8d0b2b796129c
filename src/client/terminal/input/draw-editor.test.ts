import { expect, test } from "bun:test";
import { fakeServices, linesOf } from "../../../../test/support/terminal-parts.ts";
import { displayWidth } from "../../../view/terminal/display-width.ts";
import { ImageUploads } from "../images/image-uploads.ts";
import { InputPart } from "./input-part.ts";

function openDraft(isUntouched: boolean) {
  const fake = fakeServices();
  const services = { ...fake, session: { ...fake.session, isUntouched } };
  const uploads = new ImageUploads(services.session);
  const outgoing = { slow: [] };
  const input = new InputPart({ services, uploads, outgoing, workingDir: "/work", send: () => undefined });
  const shown = (columns: number) => linesOf(input.draw({ columns, rows: 5 }).rows);
  return { input, shown };
}

test("[TUI-01 bar First screen] until something is sent, an empty draft says what it takes, at any width where that fits", () => {
  const { input, shown } = openDraft(true);
  const whole = "> Ask for something · / commands · @ files · ! shell · ? keys · ctrl+p palette";
  expect([shown(80), shown(40), shown(24), shown(20)]).toEqual([
    whole,
    "> Ask, or / @ ! · ? keys",
    "> Ask, or / @ ! · ? keys",
    "> ",
  ]);
  expect(input.draw({ columns: 80, rows: 5 }).cursor).toEqual({ row: 0, column: 2 });
  input.type("h");
  expect(shown(80)).toBe("> h");
  input.act("edit.deleteBack");
  expect(shown(80)).toBe(whole);
  expect(openDraft(false).shown(80)).toBe("> ");
});

test("[TUI-08 TUI-11] behind the stand-in of an image the cursor stands where the text ends, whatever its name has", () => {
  for (const name of ["shot.png", "日本.png", "e\u0301te\u0301.png", "👩‍👩‍👧.png"]) {
    const { input } = openDraft(false);
    const source = { kind: "bytes", bytes: new Uint8Array(), mediaType: "image/png", name } as const;
    input.insertImage({ facts: name, source });
    input.type("ab");
    const { rows, cursor } = input.draw({ columns: 80, rows: 5 });
    expect([name, cursor?.column]).toEqual([name, displayWidth(linesOf(rows).trimEnd())]);
  }
});
