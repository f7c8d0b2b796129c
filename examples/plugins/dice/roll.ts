const DICE_MAX = 100;
const SIDES_MAX = 1_000;

export interface Rolled {
  readonly dice: string;
  readonly points: readonly number[];
}

/** Rolls dice such as `2d6`. @throws Error whose text the caller sees. */
export function roll(dice: string): Rolled {
  const [, count, sides] = /^(\d{1,3})d(\d{1,4})$/.exec(dice) ?? [];
  const [many, high] = [Number(count), Number(sides)];
  if (!(many >= 1 && many <= DICE_MAX && high >= 1 && high <= SIDES_MAX))
    throw new Error(`write 2d6: up to ${DICE_MAX} dice with up to ${SIDES_MAX} sides`);
  return { dice, points: Array.from({ length: many }, () => 1 + Math.floor(Math.random() * high)) };
}

export function spoken({ dice, points }: Rolled): string {
  const sum = points.reduce((all, each) => all + each, 0);
  return points.length === 1 ? `${dice}: ${sum}` : `${dice}: ${points.join(" + ")} = ${sum}`;
}
