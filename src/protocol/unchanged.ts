/** A deeply read-only value: lists and fields at every depth. */
export type Unchanged<T> = T extends string | number | boolean | null | undefined
  ? T
  : T extends readonly (infer Item)[]
    ? readonly Unchanged<Item>[]
    : T extends object
      ? { readonly [Key in keyof T]: Unchanged<T[Key]> }
      : T;
