import { expect, test } from "bun:test";
import { fakeServices, linesOf } from "../../../../test/support/terminal-parts.ts";
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
