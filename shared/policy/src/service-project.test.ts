import { describe, expect, it } from '@jest/globals';
import { namesakesOf, serviceProjectOf } from './service-project.js';

const BY_NAME = { rbac_service_project: 'nova', rbac_service_project_domain: 'd1' };

describe('the project of the services', () => {
  it('is a name within a domain', () => {
    expect(serviceProjectOf(BY_NAME).claims).toEqual({
      project_id: 'id-of-nova',
      project_name: 'nova',
      project_domain_id: 'd1',
    });
    expect(namesakesOf(BY_NAME).map(({ claims }) => claims)).toEqual([
      { project_id: 'id-in-another-domain', project_name: 'nova', project_domain_id: 'not-d1' },
      { project_id: 'nova', project_name: 'nova' },
    ]);
  });

  it('is an id where one is set, and then no name', () => {
    const byId = { ...BY_NAME, rbac_service_project_id: '5f' };
    expect(serviceProjectOf(byId).claims).toEqual({ project_id: '5f' });
    expect(namesakesOf(byId).map(({ claims }) => claims)).toEqual([
      { project_id: 'id-in-another-domain', project_name: '5f', project_domain_id: 'not-d1' },
      { project_id: 'id-of-namesake', project_name: '5f', project_domain_id: 'd1' },
    ]);
  });

  it('is service of the domain default in a policy without these switches', () => {
    expect(serviceProjectOf({ rbac_service_project_id: null })).toMatchObject({
      label: 'service',
      claims: { project_name: 'service', project_domain_id: 'default' },
    });
  });
});
