import { describe, expect, it } from '@jest/globals';
import { pointerTo, segmentsOf } from './json-pointer.js';

describe('segmentsOf', () => {
  it.each([
    ['/owner', ['owner']],
    ['/driver_info/redfish_address', ['driver_info', 'redfish_address']],
    ['/extra/a~1b/c~0d', ['extra', 'a/b', 'c~d']],
    ['/extra/~01', ['extra', '~1']],
    ['/extra/', ['extra', '']],
  ])('reads %s', (pointer, expected) => {
    expect(segmentsOf(pointer)).toEqual(expected);
  });

  it.each(['', 'owner', '/extra/~2', '/extra/~', '#/owner'])('refuses %j', (pointer) => {
    expect(segmentsOf(pointer)).toBeUndefined();
  });

  it('reads back what pointerTo wrote', () => {
    expect(pointerTo('a/b~c')).toBe('/a~1b~0c');
    expect(segmentsOf('/a~1b~0c')).toEqual(['a/b~c']);
  });
});
