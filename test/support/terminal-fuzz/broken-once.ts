import { fakeId } from "../fake-connection.ts";
import type { Sequence, Step } from "./sequences.ts";

const PLAIN: Sequence = {
  profile: "mixed",
  size: { columns: 80, rows: 24 },
  answers: { kitty: false, attributes: false, focus: false, background: false },
  isLong: false,
  isHostile: false,
  hostWorks: true,
  isReached: true,
  hasLast: false,
  isNamed: true,
  settings: "",
  steps: [],
  ending: "quit",
};
const INLINE = { ...PLAIN, profile: "inline", reflows: true } as const;

const said = (text: string): Step => ({
  do: "events",
  events: [{ kind: "TextDelta", payload: { text } }],
  ofSubAgent: false,
});

/** Sequences that once broke an invariant, by what was wrong then. */
export const BROKEN_ONCE: Readonly<Record<string, Sequence>> = {
  "an inline client that was killed in a panel left extended keys": {
    ...INLINE,
    isReached: false,
    isNamed: false,
    steps: [{ do: "act", action: "transcript.pageUp" }],
    ending: "killed",
  },
  "an emoji in an inline prompt stood behind its place": {
    ...INLINE,
    steps: [
      { do: "type", text: "👍🏽" },
      { do: "keys", bytes: "\r" },
    ],
  },
  "an inline client that continued before it knew the new size left rows in the scrollback": {
    ...INLINE,
    size: { columns: 187, rows: 44 },
    steps: [
      { do: "resize", size: { columns: 180, rows: 23 }, lateMs: 200 },
      { do: "continued" },
      {
        do: "events",
        events: [{ kind: "MCPServerDown", payload: { name: "", reason: "x", attempts: 1 } }],
        ofSubAgent: false,
      },
    ],
  },
  "a panel of an inline client was not drawn again after a storm of sizes that ended with the first one": {
    ...INLINE,
    steps: [
      said("some text\n\n"),
      { do: "act", action: "transcript.pageUp" },
      {
        do: "storm",
        sizes: [
          { columns: 40, rows: 12 },
          { columns: 80, rows: 24 },
        ],
        gapMs: 7,
      },
      { do: "wait", ms: 120 },
    ],
  },
  "an inline client drew over rows that had left a lower screen while a panel was open": {
    ...INLINE,
    size: { columns: 10, rows: 5 },
    isReached: false,
    steps: [
      { do: "act", action: "transcript.browse" },
      { do: "resize", size: { columns: 10, rows: 2 } },
      { do: "wait", ms: 299 },
      { do: "act", action: "transcript.search" },
    ],
    reflows: false,
  },
  "the rest of a cut mark of a paste answered a question": {
    ...PLAIN,
    steps: [
      {
        do: "events",
        events: [
          {
            kind: "Asked",
            payload: {
              askId: fakeId("ask", 3),
              about: "plan",
              text: "a plan",
              choices: [
                { value: "yes", label: "yes" },
                { value: "no", label: "no" },
              ],
            },
          },
        ],
        ofSubAgent: false,
      },
      { do: "keys", bytes: "x" },
      { do: "keys", bytes: "\r" },
      { do: "paste", text: "", isMarked: true, ends: false, cut: { at: 2, ms: 1_900 } },
    ],
  },
  "a sentence of a client that had ended was still to go": {
    ...PLAIN,
    isReached: false,
    steps: [
      { do: "keys", bytes: "k" },
      { do: "keys", bytes: "\r" },
      { do: "act", action: "app.leaveAndPrint" },
    ],
    ending: "stopped",
  },
  "the cursor stood before the end of an image with wide characters in its name": {
    ...PLAIN,
    steps: [
      { do: "image", how: "path", file: "/private/日本.png" },
      { do: "type", text: "" },
    ],
  },
  "a page of a long session was read to its end after the client had left": {
    ...INLINE,
    isLong: true,
    steps: [
      { do: "act", action: "transcript.search" },
      { do: "keys", bytes: "日" },
      { do: "switch", to: 1 },
      {
        do: "events",
        events: [{ kind: "Answered", payload: { askId: fakeId("ask", 1), answer: null } }],
        ofSubAgent: false,
      },
    ],
  },
  "the rows behind a panel were not erased when the size went and came back": {
    ...INLINE,
    isReached: true,
    isNamed: true,
    reflows: false,
    steps: [
      { do: "resize", size: { columns: 3, rows: 70 } },
      {
        do: "events",
        events: [
          {
            kind: "PermissionAnswered",
            payload: {
              callId: fakeId("call", 1),
              decision: "allow",
              scope: "once",
              rule: "a",
              counted: true,
            },
          },
        ],
        ofSubAgent: false,
      },
      {
        do: "events",
        events: [{ kind: "TextDelta", payload: { text: "```ts\nconst a = 1;\n" } }],
        ofSubAgent: false,
      },
      { do: "act", action: "transcript.pageUp" },
      {
        do: "storm",
        sizes: [
          { columns: 12, rows: 2 },
          { columns: 3, rows: 70 },
        ],
        gapMs: 49,
      },
      { do: "keys", bytes: "\u001b" },
    ],
  },
};
