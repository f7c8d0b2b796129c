import { expect, test } from "bun:test";
import type { PayloadOf } from "../src/protocol/events/events.ts";
import { itemKind } from "../src/session/search/item-kind.ts";
import { renderMarkdown } from "../src/session/transcript/markdown/markdown.ts";
import { noticesAfter } from "../src/view/session/notices.ts";
import { noticeText } from "../src/view/texts/notice-text.ts";
import { each, envelopes, gather, INFO } from "./support/transcript-rig.ts";

const message = "the words of it";
const ERRORS: readonly (readonly ["note" | "error", PayloadOf<"Error">])[] = [
  ["error", { reason: "ProviderUnavailable", message }],
  ["note", { reason: "ProviderUnavailable", message, severity: "notice" }],
  // As logs of protocol 0.2.0 have them.
  ["note", { reason: "ProviderSilent", message }],
  ["note", { reason: "ProviderUnavailable", message, details: { retryInMs: 500 } }],
];

test("[CTL-19] a client, a list of items and an export agree on which errors are notices", async () => {
  for (const [severity, payload] of ERRORS) {
    const events = envelopes({ kind: "Error", payload });
    const [event] = events;
    if (event?.kind !== "Error") throw new Error("it is no error");
    const isNotice = severity === "note";
    expect(noticeText(event)).toBe(`${severity}: ${message}`);
    expect(noticesAfter([], event)[0]?.isFailure).toBe(!isNotice);
    expect(itemKind(event)).toBe(isNotice ? "notice" : "error");
    const document = (await gather(renderMarkdown(INFO, each(events)))).join("");
    expect(document).toContain(`*${isNotice ? "Notice" : "Error"} \`${payload.reason}\`:*`);
  }
});
