import { Type } from '@sinclair/typebox';
import { type StepArguments } from './step-arguments.js';

/** Longest wait of a `wait` step, seconds. */
const MAX_WAIT_S = 1200;

/** Steps of the state machine itself, which belong to no interface, and the arguments that each takes. */
export const RESERVED_ARGUMENTS: Readonly<Record<string, StepArguments>> = {
  hold: {},
  power_off: {},
  power_on: {},
  reboot: {},
  wait: {
    seconds: {
      description: 'How long to wait, seconds.',
      required: true,
      schema: Type.Integer({ minimum: 1, maximum: MAX_WAIT_S }),
    },
  },
};
