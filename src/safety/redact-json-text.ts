import type { RedactingStream, Redactor } from "./redact.ts";
import { classOfName, isSecretValue } from "./secrets/secret-value.ts";

/** Characters of a name that are compared; a longer one names no secret. */
const NAME_CHARACTERS_MAX = 256;
/** Characters of a value beside the name of a secret that are held until its end. A longer one is no such secret. */
const VALUE_CHARACTERS_MAX = 4_096;
const REDACTED_VALUE = "«redacted:secret»";

/**
 * Redacts the text of one JSON value that arrives in pieces, cut anywhere: the strings in it are redacted as
 * `Redactor.json` redacts them, whatever escapes they are written with. Text without secrets comes out unchanged.
 *
 * Text that is no JSON is redacted as text. What may begin a secret is held, at most some 40,000 characters for each of
 * the two passes.
 */
export function jsonTextStream(redactor: Pick<Redactor, "text" | "stream">): RedactingStream {
  const strings = new JsonStrings(redactor);
  const text = redactor.stream(); // what stands outside of strings
  return {
    push: (chunk) => text.push(strings.push(chunk)),
    end: () => text.push(strings.end()) + text.end(),
  };
}

/** A run of characters as they were written, and what they stand for. An escape is a run by itself. */
interface Run {
  readonly raw: string;
  readonly plain: string;
}

const ESCAPED: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

class JsonStrings {
  readonly #redactor: Pick<Redactor, "text" | "stream">;
  /** The string that is being read. */
  #string: JsonString | undefined;
  /** The beginning of an escape. */
  #escape = "";
  /** The last string, which is the name of a value if a colon follows. */
  #last = "";
  #name = "";

  constructor(redactor: Pick<Redactor, "text" | "stream">) {
    this.#redactor = redactor;
  }

  push(chunk: string): string {
    let out = "";
    for (let at = 0; at < chunk.length; ) {
      const string = this.#string;
      if (string === undefined) {
        const character = chunk.charAt(at++);
        out += character;
        this.#outside(character);
        continue;
      }
      if (this.#escape !== "" || chunk[at] === "\\") {
        this.#escape += chunk.charAt(at++);
        const run = escapeOf(this.#escape);
        if (run === undefined) continue;
        this.#escape = "";
        out += string.push(run);
      } else if (chunk[at] === '"') {
        at += 1;
        out += this.#endString(string);
      } else {
        const to = endOfRun(chunk, at);
        const raw = chunk.slice(at, to);
        out += string.push({ raw, plain: raw });
        at = to;
      }
    }
    return out;
  }

  /** Ends a text that may end within a string. */
  end(): string {
    const rest = (this.#string?.end() ?? "") + this.#escape;
    this.#string = undefined;
    [this.#escape, this.#last, this.#name] = ["", "", ""];
    return rest;
  }

  #outside(character: string): void {
    if (character === '"') {
      this.#string = new JsonString(this.#redactor, this.#name);
      this.#name = "";
    } else if (character === ":") this.#name = this.#last;
    else if (character > " ") this.#name = "";
  }

  #endString(string: JsonString): string {
    this.#last = string.start;
    this.#string = undefined;
    return `${string.end()}"`;
  }
}

/** One string: what it stands for is redacted, and comes out as it was written up to the first secret. */
class JsonString {
  readonly #stream: RedactingStream;
  readonly #name: string;
  /** Runs that the redaction holds. */
  #runs: Run[] = [];
  /** True after a secret: how the rest was written is lost. */
  #isChanged = false;
  /** The value so far, while it may be a secret because of its name. */
  #held: Run[] | undefined;
  #heldCharacters = 0;
  /** The first characters of what it stands for; empty if there are more. */
  start = "";
  #isLong = false;

  constructor(redactor: Pick<Redactor, "text" | "stream">, name: string) {
    this.#stream = redactor.stream();
    this.#name = name;
    this.#held = name !== "" && classOfName(name) !== undefined ? [] : undefined;
  }

  push(run: Run): string {
    this.#isLong ||= this.start.length + run.plain.length > NAME_CHARACTERS_MAX;
    this.start = this.#isLong ? "" : this.start + run.plain;
    if (this.#held === undefined) return this.#redact(run);
    this.#held.push(run);
    this.#heldCharacters += run.plain.length;
    return this.#heldCharacters > VALUE_CHARACTERS_MAX ? this.#release() : "";
  }

  end(): string {
    const value = this.#held?.map(({ plain }) => plain).join("");
    const released = this.#release();
    const out = released + this.#written(this.#stream.end());
    const isUntouched = value !== undefined && !this.#isChanged;
    return isUntouched && isSecretValue(this.#name, value) ? REDACTED_VALUE : out;
  }

  #release(): string {
    const runs = this.#held ?? [];
    this.#held = undefined;
    return runs.map((run) => this.#redact(run)).join("");
  }

  #redact(run: Run): string {
    if (!this.#isChanged) this.#runs.push(run);
    return this.#written(this.#stream.push(run.plain));
  }

  /** Returns redacted text as it was written, or written again after a secret. */
  #written(redacted: string): string {
    let out = "";
    let at = 0;
    while (!this.#isChanged && at < redacted.length) {
      const [run] = this.#runs;
      const plain = run?.plain.slice(0, redacted.length - at);
      if (run === undefined || plain === undefined || !redacted.startsWith(plain, at)) this.#isChanged = true;
      else {
        at += plain.length;
        const isWhole = plain.length === run.plain.length;
        out += isWhole ? run.raw : plain;
        if (isWhole) this.#runs.shift();
        else this.#runs[0] = { raw: run.raw.slice(plain.length), plain: run.plain.slice(plain.length) };
      }
    }
    if (!this.#isChanged) return out;
    this.#runs = [];
    return out + JSON.stringify(redacted.slice(at)).slice(1, -1);
  }
}

/** Returns the end of the characters that stand for themselves. */
function endOfRun(text: string, from: number): number {
  let at = from;
  while (at < text.length && text[at] !== '"' && text[at] !== "\\") at++;
  return at;
}

/** Returns undefined while an escape is incomplete. One that JSON does not have stands for itself. */
function escapeOf(raw: string): Run | undefined {
  if (raw.length < 2) return undefined;
  const [, kind = ""] = raw;
  if (kind !== "u") return { raw, plain: ESCAPED[kind] ?? kind };
  if (raw.length < 6) return undefined;
  const code = /^[0-9a-f]{4}$/i.test(raw.slice(2)) ? Number.parseInt(raw.slice(2), 16) : undefined;
  return { raw, plain: code === undefined ? raw : String.fromCharCode(code) };
}
