import { Type } from '@sinclair/typebox';
import { type StepArguments } from '../domain/provision/steps.js';

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

interface WantedSetting {
  readonly name: string;
  readonly value: string | number | boolean;
}

/** Arguments of `bios.apply_configuration`. */
export const BIOS_ARGUMENTS: StepArguments = {
  settings: {
    description: 'A list of BIOS settings to be applied: [{"name": …, "value": …}].',
    required: true,
    schema: BiosSettings,
  },
};

/** The settings that a checked call of `bios.apply_configuration` asks for. */
export const wantedSettings = (args: Readonly<Record<string, unknown>>): readonly WantedSetting[] =>
  args['settings'] as readonly WantedSetting[]; // checked when the order was planned
