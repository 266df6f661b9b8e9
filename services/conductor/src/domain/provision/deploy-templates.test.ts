import { describe, expect, it } from '@jest/globals';
import { type api } from '@tenure/contracts';
import { aNode } from '@tenure/testing';
import { instanceTraitsOf, withTemplates } from './deploy-templates.js';
import { plainOrder } from './order.js';

const BIOS: api.ProvisionStep = {
  interface: 'bios',
  step: 'apply_configuration',
  args: { settings: [{ name: 'hyperthreading', value: 'enabled' }] },
  priority: 150,
};
const RAID: api.ProvisionStep = { interface: 'raid', step: 'create_configuration', priority: 60 };

const deploy = (...steps: readonly api.ProvisionStep[]) => ({ ...plainOrder('active'), steps });
const template = (name: string, ...steps: readonly api.ProvisionStep[]) => ({ name, steps });

describe('the steps of deploy templates', () => {
  it('come among those that were requested, by their priority', () => {
    const merged = withTemplates(deploy(RAID), [template('CUSTOM_HT', BIOS)]);
    expect(merged.steps).toEqual([BIOS, RAID]);
  });

  it.each([
    ['another priority', { ...BIOS, priority: 10, args: { settings: [] } }],
    ['the priority 0, which switches it off', { ...BIOS, priority: 0 }],
  ])('give way to the same step that the caller gives %s', (_what, given) => {
    expect(withTemplates(deploy(given), [template('CUSTOM_HT', BIOS)]).steps).toEqual([given]);
  });

  it('may switch a step off, the deployment itself too', () => {
    const core: api.ProvisionStep = { interface: 'deploy', step: 'deploy', args: {}, priority: 0 };
    expect(withTemplates(deploy(), [template('CUSTOM_NONE', core)]).steps).toEqual([core]);
  });

  it('are refused when two templates name the same one', () => {
    expect(() =>
      withTemplates(deploy(), [template('CUSTOM_A', BIOS, RAID), template('CUSTOM_B', RAID)]),
    ).toThrow(
      expect.objectContaining({
        status: 400,
        message:
          "Validation of deploy steps from deploy templates matching this node's instance traits failed. Matching deploy templates: CUSTOM_A, CUSTOM_B. Errors: duplicate deploy steps: raid.create_configuration",
      }),
    );
  });
});

describe('the traits of an instance', () => {
  it('are none when it names none', () => {
    expect(instanceTraitsOf(aNode({ traits: ['CUSTOM_HT'] }))).toEqual([]);
  });

  it('are those it names, each once', () => {
    const node = aNode({
      traits: ['CUSTOM_HT', 'CUSTOM_GPU'],
      instance_info: { traits: ['CUSTOM_HT', 'CUSTOM_HT'] },
    });
    expect(instanceTraitsOf(node)).toEqual(['CUSTOM_HT']);
  });

  it.each(['CUSTOM_HT', [1], {}, null])('must be a list of texts, not %j', (traits) => {
    const node = aNode({ instance_info: { traits } });
    expect(() => instanceTraitsOf(node)).toThrow(
      expect.objectContaining({
        status: 400,
        message: `Error parsing traits from Node ${node.uuid} instance_info field. A list of strings is expected.`,
      }),
    );
  });

  it('must all be traits of the node', () => {
    const node = aNode({
      traits: ['CUSTOM_HT'],
      instance_info: { traits: ['CUSTOM_HT', 'CUSTOM_GPU', 'CUSTOM_SSD'] },
    });
    expect(() => instanceTraitsOf(node)).toThrow(
      expect.objectContaining({
        status: 400,
        message: `Cannot specify instance traits that are not also set on the node. Node ${node.uuid} is missing traits CUSTOM_GPU, CUSTOM_SSD`,
      }),
    );
  });
});
