/** Slots of a new set. A power of two. */
const SLOTS = 4_096;
const ASCII = 128;
/** No unit. */
const NONE = -1;

/**
 * Set of the hashes of short pieces of texts: every run of one, two and three units without white space. Small and
 * quick, for texts of megabytes. Two pieces may share a hash: a filter made of them then passes a little more.
 */
export class GramSet {
  #slots = new Uint32Array(SLOTS);
  #size = 0;
  /** One bit for each piece of ASCII that was added: most pieces of a text come again and again. */
  readonly #ascii = new Uint32Array(ASCII ** 3 / 32);

  get size(): number {
    return this.#size;
  }

  /** Adds the pieces of a folded text. */
  addText(text: string): void {
    let [two, one] = [NONE, NONE];
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (isSpace(unit)) {
        [two, one] = [NONE, NONE];
        continue;
      }
      if (!this.#isKnown(two, one, unit)) {
        this.add(hashOf(0, 0, unit));
        if (one !== NONE) this.add(hashOf(0, one, unit));
        if (two !== NONE) this.add(hashOf(two, one, unit));
      }
      two = one;
      one = unit;
    }
  }

  /** Returns true if these units were added before, with the shorter pieces at their end; notes them. */
  #isKnown(two: number, one: number, unit: number): boolean {
    if (two <= 0 || two >= ASCII || one >= ASCII || unit >= ASCII) return false;
    const at = (two << 14) | (one << 7) | unit;
    const [word, bit] = [at >>> 5, 1 << (at & 31)];
    const bits = this.#ascii[word] ?? 0;
    this.#ascii[word] = bits | bit;
    return (bits & bit) !== 0;
  }

  add(hash: number): void {
    const slots = this.#slots;
    const mask = slots.length - 1;
    let at = hash & mask;
    for (let other = slots[at]; other !== 0; other = slots[at]) {
      if (other === hash) return;
      at = (at + 1) & mask;
    }
    slots[at] = hash;
    this.#size += 1;
    if (this.#size * 2 > slots.length) this.#grow();
  }

  *[Symbol.iterator](): Generator<number> {
    for (const hash of this.#slots) if (hash !== 0) yield hash;
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = new Uint32Array(old.length * 2);
    this.#size = 0;
    for (const hash of old) if (hash !== 0) this.add(hash);
  }
}

/** Returns the hashes that a text has if it holds a word: those of its longest pieces. */
export function gramsOf(word: string): readonly number[] {
  const [a = 0, b = 0] = [word.charCodeAt(0), word.charCodeAt(1)];
  if (word.length === 1) return [hashOf(0, 0, a)];
  if (word.length === 2) return [hashOf(0, a, b)];
  const hashes = new Set<number>();
  for (let at = 2; at < word.length; at++)
    hashes.add(hashOf(word.charCodeAt(at - 2), word.charCodeAt(at - 1), word.charCodeAt(at)));
  return [...hashes];
}

/** Returns the hash that stands for a call of a tool: no piece of a text has it on purpose. */
export function toolGram(tool: string): number {
  let hash = 0x2f_0b_51_77;
  for (let at = 0; at < tool.length; at++) hash = mixed(hash ^ tool.charCodeAt(at));
  return hash === 0 ? 1 : hash;
}

/** Never 0, which marks an empty slot. */
function hashOf(a: number, b: number, c: number): number {
  const hash = mixed(
    Math.imul(a, 0x9e_37_79_b1) ^ Math.imul(b, 0x85_eb_ca_77) ^ Math.imul(c + 1, 0xc2_b2_ae_3d),
  );
  return hash === 0 ? 1 : hash;
}

/** The last step of MurmurHash3, an unsigned integer of 32 bits. */
export function mixed(hash: number): number {
  let mix = Math.imul(hash ^ (hash >>> 16), 0x85_eb_ca_6b);
  mix = Math.imul(mix ^ (mix >>> 13), 0xc2_b2_ae_35);
  return (mix ^ (mix >>> 16)) >>> 0;
}

/** Returns true for the units that `\s` matches. */
function isSpace(unit: number): boolean {
  if (unit < 0x80) return unit === 32 || (unit >= 9 && unit <= 13);
  if (unit < 0x16_80) return unit === 0xa0;
  return (
    (unit >= 0x20_00 && unit <= 0x20_0a) ||
    [0x16_80, 0x20_28, 0x20_29, 0x20_2f, 0x20_5f, 0x30_00, 0xfe_ff].includes(unit)
  );
}
