import { expect, test } from "bun:test";
import type { RequestContext, RequestMiddleware } from "./middleware.ts";
import { chainRequest, lateStream } from "./middleware.ts";
import type { ModelEvent, ModelRequest } from "./provider.ts";

const REQUEST: ModelRequest = {
  model: "m",
  system: [],
  messages: [],
  tools: [],
  outputTokensMax: 1,
  cache: { prefix: false, messages: [] },
};
const CONTEXT = {} as RequestContext; // nobody here looks into it

async function* said(text: string): AsyncGenerator<ModelEvent> {
  yield { kind: "text", index: 0, text };
}

async function textOf(events: AsyncIterable<ModelEvent>): Promise<string> {
  let text = "";
  for await (const event of events) if (event.kind === "text") text += event.text;
  return text;
}

test("[ENG-06] the first middleware listed is outermost: it sees the request first and the answer last", async () => {
  const seen: string[] = [];
  const named = (name: string): RequestMiddleware =>
    async function* (request, context, next) {
      seen.push(`${name} asks ${request.model}`);
      for await (const event of next({ ...request, model: `${request.model}>${name}` }, context)) {
        yield event.kind === "text" ? { ...event, text: `${name}(${event.text})` } : event;
      }
      seen.push(`${name} is done`);
    };
  const handler = chainRequest([named("outer"), named("inner")], (request) => said(request.model));
  expect(await textOf(handler(REQUEST, CONTEXT))).toBe("outer(inner(m>outer>inner))");
  expect(seen).toEqual(["outer asks m", "inner asks m>outer", "inner is done", "outer is done"]);
});

test("[ENG-06] a middleware may answer itself, refuse, or ask again", async () => {
  let asked = 0;
  const twice: RequestMiddleware = async function* (request, context, next) {
    yield* next(request, context);
    yield* next(request, context);
  };
  const handler = chainRequest([twice], () => said(String(++asked)));
  expect(await textOf(handler(REQUEST, CONTEXT))).toBe("12");
  const instead = chainRequest([() => said("from memory")], () => said("never"));
  expect(await textOf(instead(REQUEST, CONTEXT))).toBe("from memory");
  const refusal = new Error("over budget");
  const refusing: RequestMiddleware = () => {
    throw refusal;
  };
  expect(() => chainRequest([refusing], () => said("never"))(REQUEST, CONTEXT)).toThrow(refusal);
});

test("[ENG-06] [ENG-09] leaving the answer early leaves every layer, down to the source", async () => {
  const left: string[] = [];
  const watching = (name: string): RequestMiddleware =>
    async function* (request, context, next) {
      try {
        yield* next(request, context);
      } finally {
        left.push(name);
      }
    };
  async function* endless(): AsyncGenerator<ModelEvent> {
    try {
      while (true) yield { kind: "text", index: 0, text: "more" };
    } finally {
      left.push("source");
    }
  }
  const handler = chainRequest([watching("outer"), watching("inner")], endless);
  for await (const _ of handler(REQUEST, CONTEXT)) break;
  expect(left).toEqual(["source", "inner", "outer"]);
});

test("[ENG-06] a stream that is opened later throws to its reader what its opening throws, and is left like any other", async () => {
  const left: string[] = [];
  const later = (text: string): RequestMiddleware =>
    function opens(request, context, next) {
      return lateStream(async () => {
        await undefined;
        return next({ ...request, model: `${request.model}${text}` }, context);
      });
    };
  async function* endless({ model }: ModelRequest): AsyncGenerator<ModelEvent> {
    try {
      while (true) yield { kind: "text", index: 0, text: model };
    } finally {
      left.push("source");
    }
  }
  const handler = chainRequest([later("a"), later("b")], endless);
  for await (const event of handler(REQUEST, CONTEXT)) {
    expect(event).toEqual({ kind: "text", index: 0, text: "mab" });
    break;
  }
  expect(left).toEqual(["source"]);

  const refusal = new Error("over budget");
  const refusing = lateStream(() => Promise.reject(refusal));
  await expect(textOf(refusing)).rejects.toThrow(refusal);

  const never = lateStream(() => Promise.resolve(endless(REQUEST)))[Symbol.asyncIterator]();
  const first = never.next();
  await never.return?.();
  expect(await first).toEqual({ done: true, value: undefined });
});
