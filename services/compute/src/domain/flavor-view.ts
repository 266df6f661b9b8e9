import { type FlavorFacts, extraSpecsOf, type WantedFlavor } from './flavor.js';
import { linksTo, type ViewOptions } from './server-view.js';

type Members = Readonly<Record<string, unknown>>;

const DESCRIPTION_SINCE = 55;
const EXTRA_SPECS_SINCE = 61;

/** A flavor in a list: its name is its id. */
export const flavorReference = (id: string, { minor, publicBase }: ViewOptions): Members => ({
  id,
  name: id,
  links: linksTo(publicBase, `flavors/${encodeURI(id)}`),
  ...(minor >= DESCRIPTION_SINCE && { description: null }),
});

/** A flavor with all members of Nova's view. */
export const flavorView = (
  wanted: WantedFlavor,
  { vcpus, ram, disk }: Pick<FlavorFacts, 'vcpus' | 'ram' | 'disk'>,
  options: ViewOptions,
): Members => ({
  ...flavorReference(wanted.id, options),
  vcpus,
  ram,
  disk,
  'OS-FLV-EXT-DATA:ephemeral': 0,
  swap: options.minor >= 75 ? 0 : '',
  rxtx_factor: 1,
  'OS-FLV-DISABLED:disabled': false,
  'os-flavor-access:is_public': true,
  ...(options.minor >= EXTRA_SPECS_SINCE && { extra_specs: extraSpecsOf(wanted) }),
});
