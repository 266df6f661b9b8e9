import { type NodeRecord } from '@tenure/contracts';
import { type Fields, membersOf } from '../../domain/members.js';
import { type BiosCapability } from '../../ports/hardware-capabilities.js';

/** Member of `driver_internal_info` that holds what was set: name to value. */
const STORED = 'fake_bios';

const SETTINGS = [
  {
    name: 'BootMode',
    value: 'Uefi',
    attribute_type: 'Enumeration',
    allowable_values: ['Bios', 'Uefi'],
    read_only: false,
    reset_required: true,
  },
  {
    name: 'ProcVirtualization',
    value: 'Enabled',
    attribute_type: 'Enumeration',
    allowable_values: ['Enabled', 'Disabled'],
    read_only: false,
    reset_required: true,
  },
  {
    name: 'MemoryTestLoops',
    value: '1',
    attribute_type: 'Integer',
    lower_bound: 0,
    upper_bound: 10,
    read_only: false,
    reset_required: true,
  },
];

const storedIn = (node: NodeRecord): Fields => membersOf(node.driver_internal_info[STORED]);

/** The BIOS of a simulated machine: the factory settings, overridden by those that were set. */
export const fakeBios: BiosCapability = {
  settings: (node) => {
    const stored = storedIn(node);
    return Promise.resolve(
      SETTINGS.map((setting) => {
        const value = stored[setting.name];
        return typeof value === 'string' ? { ...setting, value } : setting;
      }),
    );
  },
};

/** Members of `driver_internal_info` of a machine whose BIOS is as it came. */
export const AS_IT_CAME: Fields = { [STORED]: {} };

/** The settings that a simulated machine does not have. */
export const unknownSettings = (names: readonly string[]): readonly string[] =>
  names.filter((name) => !SETTINGS.some((setting) => setting.name === name));

/** Members of `driver_internal_info` once these were set. */
export const withSettings = (
  node: NodeRecord,
  wanted: readonly { readonly name: string; readonly value: string | number | boolean }[],
): Fields => ({
  [STORED]: {
    ...storedIn(node),
    ...Object.fromEntries(wanted.map(({ name, value }) => [name, String(value)])),
  },
});
