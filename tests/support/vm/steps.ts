type Body = () => Promise<void>;

/** Ties together tests that build on one another: `it('…', step(async () => …))`. After one that failed, the next ones fail at once. */
export function inSteps(): (body: Body) => Body {
  let isBroken = false;
  return (body) => async () => {
    if (isBroken) throw new Error('not begun, for a step before it failed');
    isBroken = true;
    await body();
    isBroken = false;
  };
}
