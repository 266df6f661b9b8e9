import { describe, expect, it } from '@jest/globals';
import { NotAcceptableError } from './errors.js';
import { baremetalVersionOf, formatMicroversion, parseMicroversion } from './microversion.js';

describe('parseMicroversion', () => {
  it.each([
    [undefined, '1.1'],
    ['1.1', '1.1'],
    ['1.65', '1.65'],
    ['latest', '1.91'],
    ['LATEST', '1.91'],
  ])('takes %j as %s', (value, expected) => {
    expect(formatMicroversion(parseMicroversion(value))).toBe(expected);
  });

  it.each(['1.0', '1.92', '1.9999', '2.0', '0.1', 'abc', '1', '1.', '1.5.1', ' 1.5', '-1.5', ''])(
    'answers 406 to %j',
    (value) => {
      expect(() => parseMicroversion(value)).toThrow(NotAcceptableError);
    },
  );
});

describe('baremetalVersionOf', () => {
  it.each([
    ['baremetal 1.50', '1.50'],
    ['compute 2.1, baremetal 1.50', '1.50'],
    ['Baremetal latest', 'latest'],
    ['compute 2.1', undefined],
    ['baremetal', undefined],
    ['baremetal 1.50 1.60', undefined],
    [undefined, undefined],
  ])('reads %j as %j', (header, expected) => {
    expect(baremetalVersionOf(header)).toBe(expected);
  });
});
