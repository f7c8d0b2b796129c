import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { holds } from "../../../test/support/property.ts";
import { HarnessError } from "../../base/errors.ts";
import type { SessionId } from "../../base/ids.ts";
import { addressUri, eventsUri, readAddress } from "./uris.ts";

const id = "sess_01ARZ3NDEKTSV4RRFFQ69G5FAV" as SessionId;

test("[CTL-08] an address is read as it is written, and in the spelling that is a URI", () => {
  expect(readAddress(eventsUri(id, 7))).toEqual({ kind: "events", id, since: 7 });
  expect(readAddress(`harness-v1://session/${id}/log`)).toEqual({ kind: "log", id });
  expect(readAddress(addressUri(`session/${id}`))).toEqual({
    kind: "query",
    query: "GetSession",
    fields: { sessionId: id },
  });
  expect(readAddress(addressUri("sessions"))).toEqual({ kind: "query", query: "ListSessions", fields: {} });
  expect(readAddress(addressUri("profile/my%20own"))).toEqual({
    kind: "query",
    query: "GetProfile",
    fields: { name: "my own" },
  });
  expect(readAddress(addressUri("provider/mock/models"))).toEqual({
    kind: "query",
    query: "ListModels",
    fields: { provider: "mock" },
  });
});

test("[CTL-08] what is no address is refused with its reason, whatever it holds", async () => {
  const refused = [
    "harness/v1://",
    "harness/v2://sessions",
    "harness/v1://sessions?since=1",
    "harness/v1://sessions/x",
    `harness/v1://session/${id}/events?since=-1`,
    `harness/v1://session/${id}/events?since=1&since=2`,
    `harness/v1://session/${id}/events?since=99999999999999999`,
    `harness/v1://session/${id}/events/x`,
    `harness/v1://session/${id}?since=1`,
    "harness/v1://session/sess_x",
    "harness/v1://profile/..%2f..%2fetc",
    "harness/v1://profile/%",
    "harness/v1://profile/",
    "harness/v1://provider/mock",
    "http://example.org/",
  ];
  const reasons = refused.map((uri) => {
    try {
      return readAddress(uri).kind;
    } catch (thrown) {
      return thrown instanceof HarnessError ? thrown.reason : "a bug";
    }
  });
  expect(new Set(reasons)).toEqual(new Set(["UnknownResource", "InvalidPath", "InvalidSessionID"]));
  const part = fc.constantFrom(
    "session",
    id,
    "events",
    "log",
    "?since=",
    "1",
    "/",
    "..",
    "%2f",
    "profile",
    "\n",
    "é",
  );
  await holds(
    fc.asyncProperty(fc.array(part, { maxLength: 8 }), async (parts) => {
      try {
        const address = readAddress(addressUri(parts.join("")));
        if ("name" in address) expect(address.name).not.toMatch(/[/\\\u0000-\u001f]/);
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(HarnessError);
      }
    }),
  );
});
