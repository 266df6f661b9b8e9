import { describe, expect, it } from '@jest/globals';
import { DOCUMENT_BODIES } from './documents.js';
import { PATCH_BODIES } from './patches.js';

const fieldsOf = (...operations: unknown[]) => PATCH_BODIES.nodePatch.meaning(operations).fields;

describe('to write the project of an instance', () => {
  it.each([
    [{ op: 'add', path: '/instance_info/project_id', value: 'p' }],
    [{ op: 'replace', path: '/instance_info/project_id', value: 'p' }],
    [{ op: 'add', path: '/instance_info/project_id/x', value: 'p' }],
  ])('is to write the lessee: %j', (operation) => {
    expect(fieldsOf(operation)).toEqual(['/instance_info', '/lessee']);
  });

  it.each([
    [{ op: 'remove', path: '/instance_info/project_id' }],
    [{ op: 'add', path: '/instance_info/image_source', value: 'p' }],
    [{ op: 'replace', path: '/instance_info', value: { project_id: 'p' } }],
  ])('%j is not, as far as the gateway can see without reading the node', (operation) => {
    expect(fieldsOf(operation)).toEqual(['/instance_info']);
  });

  it('is to write the lessee also of a node that is created', () => {
    const fields = (instance_info: unknown) =>
      DOCUMENT_BODIES.node.meaning({ driver: 'redfish', instance_info }).fields;
    expect(fields({ project_id: 'p' })).toEqual(['/driver', '/instance_info', '/lessee']);
    expect(fields({ project_id: null })).toEqual(['/driver', '/instance_info']);
    expect(fields('text')).toEqual(['/driver', '/instance_info']);
  });
});
