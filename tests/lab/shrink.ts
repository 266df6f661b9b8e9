/**
 * Removes what a failure does not need: halves first, then smaller parts, until no single item can go (delta debugging).
 *
 * @param items what the failure was seen with
 * @param fails whether it is still seen with these
 * @param maxTries how often `fails` is called at most
 */
export async function shrunk<T>(
  items: readonly T[],
  fails: (fewer: readonly T[]) => Promise<boolean>,
  maxTries = 30,
): Promise<readonly T[]> {
  const tries = limited(fails, maxTries);
  /** One pass over all parts of a size. */
  const without = async (all: readonly T[], size: number): Promise<readonly T[]> => {
    let kept = all;
    for (let at = 0; at < kept.length && !tries.isSpent();) {
      const fewer = [...kept.slice(0, at), ...kept.slice(at + size)];
      if (await tries.fails(fewer)) kept = fewer;
      else at += size;
    }
    return kept;
  };
  let kept = items;
  for (let size = Math.ceil(items.length / 2); size > 1; size = Math.ceil(size / 2))
    kept = await without(kept, size);
  // Repeats until no item can be removed: removing one may make another removable.
  for (let before = -1; before !== kept.length && !tries.isSpent();) {
    before = kept.length;
    kept = await without(kept, 1);
  }
  return kept;
}

/** Calls at most so often. */
function limited<T>(
  fails: (fewer: readonly T[]) => Promise<boolean>,
  maxTries: number,
): {
  readonly fails: (fewer: readonly T[]) => Promise<boolean>;
  readonly isSpent: () => boolean;
} {
  let tries = 0;
  return {
    fails: (fewer) => {
      tries += 1;
      return fails(fewer);
    },
    isSpent: () => tries >= maxTries,
  };
}
