import { Type } from '@sinclair/typebox';
import { parse } from '@tenure/contracts';
import { type VendorMethod, type VendorMethods } from '../../ports/hardware-capabilities.js';
import { act } from './simulate.js';

const BarArguments = Type.Object(
  { bar: Type.String({ minLength: 1, maxLength: 255 }) },
  { additionalProperties: false },
);
const NoArguments = Type.Object({}, { additionalProperties: false });

/** Compares the argument `bar` with a word, after as long as the simulated hardware takes. */
const compares = (
  name: string,
  word: string,
  how: Pick<VendorMethod, 'isAsync' | 'needsLock'>,
): VendorMethod => ({
  ...how,
  httpMethods: ['POST'],
  description: `Returns whether bar is ${word}.`,
  validate: (call) => {
    parse(BarArguments, call, name);
  },
  run: async (node, call, deadline) => {
    await act(node, 'vendor', deadline);
    return call['bar'] === word;
  },
});

/** The vendor methods of `fake-hardware`: one of each kind, to try a client against. */
export const fakeVendorMethods: VendorMethods = {
  first_method: compares('first_method', 'baz', { isAsync: true, needsLock: true }),
  second_method: compares('second_method', 'kazoo', { isAsync: true, needsLock: true }),
  third_method_sync: compares('third_method_sync', 'meow', { isAsync: false, needsLock: true }),
  fourth_method_shared_lock: compares('fourth_method_shared_lock', 'woof', {
    isAsync: true,
    needsLock: false,
  }),
  power_summary: {
    httpMethods: ['GET'],
    isAsync: false,
    needsLock: false,
    description: 'Returns the power state of the simulated hardware.',
    validate: (call) => {
      parse(NoArguments, call, 'power_summary');
    },
    run: (node) => Promise.resolve({ power_state: node.power_state }),
  },
};
