import { describe, expect, it } from '@jest/globals';
import { CHASSIS_CATALOGUE } from './chassis-fields.js';
import { DEPLOY_TEMPLATE_CATALOGUE } from './deploy-template-fields.js';
import { PORT_CATALOGUE } from './port-fields.js';
import { PORTGROUP_CATALOGUE } from './portgroup-fields.js';
import { VOLUME_CONNECTOR_CATALOGUE } from './volume-connector-fields.js';
import { VOLUME_TARGET_CATALOGUE } from './volume-target-fields.js';

const ALL = [
  ['port', PORT_CATALOGUE],
  ['portgroup', PORTGROUP_CATALOGUE],
  ['chassis', CHASSIS_CATALOGUE],
  ['volume connector', VOLUME_CONNECTOR_CATALOGUE],
  ['volume target', VOLUME_TARGET_CATALOGUE],
  ['deploy template', DEPLOY_TEMPLATE_CATALOGUE],
] as const;

describe('the catalogue of', () => {
  it.each(ALL)('%ss names every member once, and a microversion of each', (_, catalogue) => {
    expect(new Set(catalogue.members).size).toBe(catalogue.members.length);
    for (const member of catalogue.members) expect(catalogue.sinceOf(member)).toBeGreaterThan(0);
    expect(catalogue.members).toHaveLength(
      catalogue.fields.length + Object.keys(catalogue.linkMembers).length,
    );
  });

  it.each(ALL)('%ss refuse writes of members that only the service writes', (_, catalogue) => {
    for (const name of ['uuid', 'created_at', 'updated_at', 'internal_info', 'links', 'ports'])
      expect(catalogue.field(name)?.writable ?? false).toBe(false);
  });

  it.each([
    ['local_link_connection', 19],
    ['pxe_enabled', 19],
    ['internal_info', 18],
    ['portgroup_uuid', 24],
    ['physical_network', 34],
    ['is_smartnic', 53],
    ['name', 88],
  ])('ports shows %s from 1.%i on', (name, since) => {
    expect(PORT_CATALOGUE.sinceOf(name)).toBe(since);
  });

  it('port groups shows modes and properties from 1.26 on, and the link to ports from 1.24 on', () => {
    expect(['mode', 'properties', 'ports'].map(PORTGROUP_CATALOGUE.sinceOf)).toEqual([26, 26, 24]);
  });

  it('ports boots a port from the network by default', () => {
    expect(PORT_CATALOGUE.field('pxe_enabled')?.initial).toBe(true);
    expect(PORTGROUP_CATALOGUE.field('standalone_ports_supported')?.initial).toBe(true);
  });
});
