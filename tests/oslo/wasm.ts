import { loadBundle, withSwitches } from '../../scripts/policy/bundle.mjs';

interface Loaded {
  readonly policy: {
    readonly setData: (data: unknown) => void;
    readonly evaluate: (
      input: unknown,
      entrypoint: string,
    ) => readonly { readonly result: unknown }[];
  };
  readonly data: unknown;
}

/** Asks an entrypoint, with some switches set otherwise. */
export type Ask = (
  entrypoint: string,
  input: unknown,
  switches?: Readonly<Record<string, unknown>>,
) => unknown;

// a script without types
const load = loadBundle as unknown as (file: string) => Promise<Loaded>;
const switched = withSwitches as unknown as (data: unknown, switches: unknown) => unknown;

/** The compiled policy of a bundle. */
export async function compiledPolicy(bundle: string): Promise<Ask> {
  const { policy, data } = await load(bundle);
  return (entrypoint, input, switches = {}) => {
    policy.setData(switched(data, switches));
    return policy.evaluate(input, entrypoint)[0]?.result;
  };
}
