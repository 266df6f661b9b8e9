import { describe, expect, it } from '@jest/globals';
import { NODE_FIELDS, nodeField } from './node-fields.js';

describe('the node field catalogue', () => {
  it.each([
    ['automated_clean', null],
    ['conductor_group', ''],
    ['maintenance', false],
    ['driver_info', {}],
    ['traits', []],
    ['secure_boot', null],
    ['owner', null],
  ])('gives an untouched node %s = %j', (name, initial) => {
    expect(nodeField(name)?.initial).toEqual(initial);
  });

  it.each([
    ['owner', 50],
    ['lessee', 65],
    ['allocation_uuid', 52],
    ['resource_class', 21],
  ])('shows %s from 1.%i on', (name, since) => {
    expect(nodeField(name)?.since).toBe(since);
  });

  it.each([
    'uuid',
    'power_state',
    'provision_state',
    'reservation',
    'last_error',
    'driver_internal_info',
    'traits',
    'maintenance_reason',
  ])('refuses writes of %s through the API', (name) => {
    expect(nodeField(name)?.writable).toBe(false);
  });

  it('names every field once', () => {
    const names = NODE_FIELDS.map((field) => field.name);
    expect(new Set(names).size).toBe(names.length);
  });
});
