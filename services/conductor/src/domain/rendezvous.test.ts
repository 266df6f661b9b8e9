import { describe, expect, it } from '@jest/globals';
import { type Member, responsibleFor, type Served } from './rendezvous.js';

const member = (hostname: string, drivers = ['redfish'], conductor_group = ''): Member => ({
  hostname,
  drivers,
  conductor_group,
});

const node = (number: number, fields: Partial<Served> = {}): Served => ({
  uuid: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
  driver: 'redfish',
  conductor_group: '',
  ...fields,
});

const FLEET = Array.from({ length: 3000 }, (_, index) => node(index));
const THREE = [member('a'), member('b'), member('c')];

const ownersOf = (members: readonly Member[]) =>
  FLEET.map((one) => responsibleFor(members, one) ?? 'nobody');

describe('the responsible conductor', () => {
  it('is the same in every process, and in every release', () => {
    expect(ownersOf(THREE).slice(0, 8)).toEqual(['c', 'b', 'b', 'a', 'c', 'b', 'a', 'c']);
  });

  it('does not depend on the order of the conductors', () => {
    expect(ownersOf(THREE.toReversed())).toEqual(ownersOf(THREE));
  });

  it('is each of them for about as many nodes', () => {
    const owners = ownersOf(THREE);
    for (const { hostname } of THREE) {
      const share = owners.filter((owner) => owner === hostname).length;
      expect(share).toBeGreaterThan(900);
      expect(share).toBeLessThan(1100);
    }
  });

  it('changes for the nodes of one that leaves only', () => {
    const before = ownersOf(THREE);
    const after = ownersOf(THREE.slice(0, 2));
    const moved = before.filter((owner, index) => owner !== after[index]);
    expect(moved).toEqual(before.filter((owner) => owner === 'c'));
    expect(new Set(after)).toEqual(new Set(['a', 'b']));
  });

  it('changes in favour of one that joins only, for about its share', () => {
    const before = ownersOf(THREE);
    const after = ownersOf([...THREE, member('d')]);
    const moved = after.filter((owner, index) => owner !== before[index]);
    expect(new Set(moved)).toEqual(new Set(['d']));
    expect(moved.length).toBeGreaterThan(650);
    expect(moved.length).toBeLessThan(850);
  });

  it('runs the driver of the node and is of its group', () => {
    const members = [
      member('fake', ['fake-hardware']),
      member('other', ['redfish'], 'rack-2'),
      member('right', ['fake-hardware', 'redfish'], 'rack-1'),
    ];
    const inRack = { conductor_group: 'rack-1' };
    for (const one of [node(1, inRack), node(2, inRack), node(3, inRack)])
      expect(responsibleFor(members, one)).toBe('right');
    expect(responsibleFor(members, node(1))).toBeUndefined();
    expect(responsibleFor(members, node(1, { ...inRack, driver: 'ipmi' }))).toBeUndefined();
    expect(responsibleFor([], node(1))).toBeUndefined();
  });

  it('of a node that names no group is one without a group', () => {
    const { uuid, driver } = node(1);
    expect(responsibleFor([member('a'), member('b', ['redfish'], 'x')], { uuid, driver })).toBe(
      'a',
    );
  });
});
