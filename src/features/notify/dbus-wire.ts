/** D-Bus messages that a notification needs, as bytes: the marshalling of the D-Bus specification, version 1. */

/** A method call; its arguments are in `body`, laid out by `signature`. */
export interface MethodCall {
  readonly serial: number;
  readonly destination: string;
  readonly path: string;
  readonly interface: string;
  readonly member: string;
  readonly signature?: string;
  readonly body?: Marshal;
}

/** The needed parts of a received message. */
export interface DbusReply {
  readonly kind: "return" | "error" | "other";
  /** Serial of the call that it answers. */
  readonly answers: number | undefined;
  readonly error: string | undefined;
  /** First 32 bits of its body, if there are any. */
  readonly first: number | undefined;
}

/** Limit for a message: no bus that shows notices sends a longer one, and one ends the connection. */
export const DBUS_MESSAGE_BYTES_MAX = 64 * 1024;

const LITTLE = 0x6c;
const HEADER_BYTES = 16;
const CALL = 1;
const RETURN = 2;
const ERROR = 3;
const FIELD = {
  path: 1,
  interface: 2,
  member: 3,
  error: 4,
  answers: 5,
  destination: 6,
  signature: 8,
} as const;

/** Values in sequence, each on its boundary, little-endian. */
export class Marshal {
  readonly #bytes: number[] = [];

  get bytes(): Uint8Array {
    return Uint8Array.from(this.#bytes);
  }

  align(boundary: 1 | 4 | 8): this {
    while (this.#bytes.length % boundary !== 0) this.#bytes.push(0);
    return this;
  }

  byte(value: number): this {
    this.#bytes.push(value & 0xff);
    return this;
  }

  uint32(value: number): this {
    this.align(4);
    for (const shift of [0, 8, 16, 24]) this.byte(value >>> shift);
    return this;
  }

  string(value: string): this {
    // A D-Bus string may contain no zero: it would end the connection.
    const bytes = new TextEncoder().encode(value.toWellFormed().replaceAll("\0", "\ufffd"));
    return this.uint32(bytes.length).raw(bytes).byte(0);
  }

  signature(value: string): this {
    return this.byte(value.length).raw(new TextEncoder().encode(value)).byte(0);
  }

  /** Adds an array. Its length in bytes comes first, without the padding before its first element. */
  array(boundary: 1 | 4 | 8, elements: (marshal: Marshal) => void): this {
    const at = this.uint32(0).#bytes.length - 4;
    this.align(boundary);
    const from = this.#bytes.length;
    elements(this);
    const length = this.#bytes.length - from;
    for (const [index, shift] of [0, 8, 16, 24].entries())
      this.#bytes[at + index] = (length >>> shift) & 0xff;
    return this;
  }

  raw(bytes: Uint8Array): this {
    for (const byte of bytes) this.#bytes.push(byte);
    return this;
  }
}

export function encodeCall(call: MethodCall): Uint8Array {
  const { serial, destination, path, interface: name, member, signature, body } = call;
  const content = body?.bytes ?? new Uint8Array();
  const text = (marshal: Marshal, field: number, type: "s" | "o", value: string) =>
    marshal.align(8).byte(field).signature(type).string(value);
  return new Marshal()
    .byte(LITTLE)
    .byte(CALL)
    .byte(0)
    .byte(1)
    .uint32(content.length)
    .uint32(serial)
    .array(8, (fields) => {
      text(fields, FIELD.path, "o", path);
      text(fields, FIELD.interface, "s", name);
      text(fields, FIELD.member, "s", member);
      text(fields, FIELD.destination, "s", destination);
      if (signature !== undefined) fields.align(8).byte(FIELD.signature).signature("g").signature(signature);
    })
    .align(8)
    .raw(content).bytes;
}

/**
 * Returns the length in bytes of the message that begins here; undefined if too few bytes have arrived.
 * @throws Error if it is longer than `DBUS_MESSAGE_BYTES_MAX`.
 */
export function messageLength(bytes: Uint8Array): number | undefined {
  if (bytes.length < HEADER_BYTES) return undefined;
  const view = reader(bytes);
  const length = headerEnd(view) + view.uint32(4);
  if (length > DBUS_MESSAGE_BYTES_MAX) throw new Error(`a message of ${length} bytes`);
  return length;
}

/** @throws RangeError if its lengths do not fit it. */
export function decodeReply(message: Uint8Array): DbusReply {
  const view = reader(message);
  const kinds: Readonly<Record<number, DbusReply["kind"]>> = { [RETURN]: "return", [ERROR]: "error" };
  const end = HEADER_BYTES + view.uint32(12);
  let answers: number | undefined;
  let error: string | undefined;
  for (let at = HEADER_BYTES; at < end; ) {
    at = aligned(at, 8);
    const [field, length] = [view.byte(at), view.byte(at + 1)];
    const type = view.text(at + 2, length);
    at += length + 3;
    if (type === "g") {
      at += view.byte(at) + 2;
      continue;
    }
    at = aligned(at, 4);
    const value = view.uint32(at);
    if (type === "u" && field === FIELD.answers) answers = value;
    if ((type === "s" || type === "o") && field === FIELD.error) error = view.text(at + 4, value);
    if (type !== "u" && type !== "s" && type !== "o") break; // no field that is read here follows it
    at += type === "u" ? 4 : value + 5;
  }
  const body = headerEnd(view);
  const first = message.length >= body + 4 ? view.uint32(body) : undefined;
  return { kind: kinds[message[1] ?? 0] ?? "other", answers, error, first };
}

function headerEnd(view: ReturnType<typeof reader>): number {
  return aligned(HEADER_BYTES + view.uint32(12), 8);
}

function aligned(at: number, boundary: 4 | 8): number {
  return Math.ceil(at / boundary) * boundary;
}

/** Reads values in the byte order that the first byte gives. */
function reader(bytes: Uint8Array) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isLittle = bytes[0] === LITTLE;
  return {
    byte: (at: number) => view.getUint8(at),
    uint32: (at: number) => view.getUint32(at, isLittle),
    text(at: number, length: number) {
      if (at + length > bytes.length) throw new RangeError("a text ends behind its message");
      return new TextDecoder().decode(bytes.subarray(at, at + length));
    },
  };
}
