import { expect, test } from "bun:test";
import {
  asks,
  each,
  ends,
  envelopes,
  gather,
  results,
  says,
  starts,
} from "../../../test/support/transcript-rig.ts";
import { redactor } from "../../safety/redact.ts";
import { redactedEvents } from "./redacted.ts";

// In two parts, so that no scanner takes this file for one that holds a key.
const KEY = `ghp_${"Qm7Zt2Xw9Lk4Rv8Np3Hs6Yd1Bc5Fg0JaEuWi"}`;

test("[SES-05 SES-10] what leaves or comes in has no secret in it, also where one is cut over pieces", async () => {
  const events = envelopes(
    asks(1, `use ${KEY}`),
    says(`it is ${KEY.slice(0, 12)}`),
    says(KEY.slice(12)),
    says(" there"),
    starts("Bash", { command: `curl -H 'Authorization: Bearer ${KEY}'` }),
    results(`got ${KEY}`),
    ends(1),
  );
  const redacted = await gather(redactedEvents(each(events), redactor([])));
  expect(JSON.stringify(redacted)).not.toContain(KEY.slice(4, 12));
  expect(redacted.map(({ id }) => id)).toEqual(events.map(({ id }) => id));
  expect(redacted.slice(1, 4).map(({ payload }) => payload)).toEqual([
    { text: "it is «redacted:github-token» there" },
    { text: "" },
    { text: "" },
  ]);
});

test("[SES-10] what holds no secret comes through as it is", async () => {
  const events = envelopes(
    asks(1, "hello"),
    says("a"),
    says("b"),
    starts("Read", { path: "x" }),
    results("c"),
    ends(1),
  );
  expect(await gather(redactedEvents(each(events), redactor([])))).toEqual([...events]);
});

test("[SES-05] a secret that is spread over pieces of thinking is taken out of them", async () => {
  const piece = (text: string) =>
    ({ kind: "ThinkingDelta", payload: { block: { type: "thinking", family: "anthropic", text } } }) as const;
  const events = envelopes(piece(`the key ${KEY.slice(0, 9)}`), piece(KEY.slice(9)), piece(" is there"));
  const redacted = await gather(redactedEvents(each(events), redactor([])));
  const texts = redacted.map((event) =>
    event.kind === "ThinkingDelta" ? event.payload.block.text : event.kind,
  );
  expect(texts).toHaveLength(3);
  expect(texts.join("")).toMatch(/^the key «redacted:[a-z-]+» is there$/);
});
