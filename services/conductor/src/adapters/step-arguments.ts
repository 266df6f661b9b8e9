import { type Static, Type } from '@sinclair/typebox';
import { type StepArguments } from '../domain/provision/step-arguments.js';

const BiosSettings = Type.Array(
  Type.Object(
    {
      name: Type.String({ minLength: 1, maxLength: 255 }),
      value: Type.Union([Type.String({ maxLength: 1024 }), Type.Number(), Type.Boolean()]),
    },
    { additionalProperties: false },
  ),
  { minItems: 1, maxItems: 1000 },
);

type WantedSettings = Readonly<Static<typeof BiosSettings>>;

/** Arguments of `bios.apply_configuration`. */
export const BIOS_ARGUMENTS: StepArguments = {
  settings: {
    description: 'A list of BIOS settings to be applied: [{"name": …, "value": …}].',
    required: true,
    schema: BiosSettings,
  },
};

const flag = (description: string): StepArguments[string] => ({
  description,
  required: false,
  schema: Type.Boolean(),
});

/** Arguments of `raid.create_configuration`. */
export const RAID_ARGUMENTS: StepArguments = {
  create_root_volume: flag('Whether to create the root volume. True by default.'),
  create_nonroot_volumes: flag('Whether to create the other volumes. True by default.'),
  delete_existing: flag('Whether to delete the volumes there are first. False by default.'),
};

/** The settings that a checked call of `bios.apply_configuration` asks for. */
export const wantedSettings = (args: Readonly<Record<string, unknown>>): WantedSettings =>
  args['settings'] as WantedSettings; // checked when the order was planned

/** The request of a validated call of `raid.create_configuration`. */
export const wantedRaid = (
  args: Readonly<Record<string, unknown>>,
): { readonly root: boolean; readonly nonRoot: boolean; readonly deleteExisting: boolean } => ({
  root: args['create_root_volume'] !== false,
  nonRoot: args['create_nonroot_volumes'] !== false,
  deleteExisting: args['delete_existing'] === true,
});
