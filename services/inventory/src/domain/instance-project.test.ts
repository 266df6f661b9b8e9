import { describe, expect, it } from '@jest/globals';
import { makeNode } from '../testing/fixtures.js';
import { assertInstanceProject } from './instance-project.js';

const withInfo = (instance_info: Readonly<Record<string, unknown>>) => makeNode({ instance_info });
const OF_LESSEE = { fields: { masked: [], read_only: ['lessee', 'owner'] } };
const OF_OWNER = { fields: { masked: [], read_only: ['owner'] } };

const mine = withInfo({ project_id: 'p-lessee' });

describe('the project of an instance, by a caller who may not write the lessee', () => {
  it.each([
    ['is not added', withInfo({}), mine],
    ['is not changed', withInfo({ project_id: 'p-other' }), mine],
    ['is not created', null, mine],
    ['is not made an object', mine, withInfo({ project_id: { a: 1 } })],
  ])('%s', (_what, before, after) => {
    expect(() => {
      assertInstanceProject(before, after, OF_LESSEE);
    }).toThrow('baremetal:node:update:lessee');
    expect(() => {
      assertInstanceProject(before, after, OF_OWNER);
    }).not.toThrow();
  });

  it.each([
    ['is kept', mine, withInfo({ project_id: 'p-lessee', image_source: 'x' })],
    ['is removed', mine, withInfo({})],
    ['is set to null', withInfo({}), withInfo({ project_id: null })],
  ])('%s', (_what, before, after) => {
    expect(() => {
      assertInstanceProject(before, after, OF_LESSEE);
    }).not.toThrow();
  });
});

describe('the project of an instance, by a caller who may write the lessee', () => {
  it.each(['p ', ' p', 'p\u200bq', 'p\u00a0', 'p\n', 'p'.repeat(256)])('is not %j', (project) => {
    const after = withInfo({ project_id: project });
    expect(() => {
      assertInstanceProject(withInfo({}), after, OF_OWNER);
    }).toThrow('no id of a project');
    // A value that an older release stored blocks nothing.
    expect(() => {
      assertInstanceProject(after, after, OF_OWNER);
    }).not.toThrow();
  });
});
