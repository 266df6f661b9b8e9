import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { nodeOf } from '../support/fleet.js';
import { type Answer, ask } from '../support/http-client.js';
import { type Persona } from '../support/personas.js';
import { startTenure, type Tenure } from '../support/tenure.js';
import { eventually } from '../support/wait.js';
import {
  CHASSIS,
  CONDUCTOR,
  DOCUMENT,
  ELEVATED,
  FAULTY,
  GROUP,
  LESSEES,
  MIXED,
  NODES,
  OWNERS,
  SECRET,
  SYSTEM,
  TARGETS,
} from './fields/fleet.js';
import {
  type Views,
  TARGET_PROPERTIES,
  TO_LESSEES,
  TO_OWNERS,
  TO_THE_SYSTEM,
  type Values,
} from './fields/values.js';
import {
  BMC_CALLS,
  BUSY_CALLS,
  CHASSIS_WAYS,
  FIELDS,
  PATCH_EXTRA,
  type Way,
  WAYS,
} from './fields/ways.js';

// The value of a field that each class of callers sees, by whichever request. Values are from the secure
// RBAC specification, written by hand.

const { locked, free } = NODES;

interface Viewer {
  readonly name: string;
  readonly persona: Persona;
  readonly views: Views;
}

const viewersOf = (
  people: readonly (readonly [string, Persona])[],
  views: Views,
): readonly Viewer[] => people.map(([name, persona]) => ({ name, persona, views }));

const PROJECTS = [...viewersOf(OWNERS, TO_OWNERS), ...viewersOf(LESSEES, TO_LESSEES)];
const SYSTEM_VIEWERS = viewersOf(SYSTEM, TO_THE_SYSTEM);
const ELEVATED_VIEWERS = viewersOf(ELEVATED, TO_THE_SYSTEM);

function rowOf(json: unknown, member: string): Values {
  const rows = (json as Readonly<Record<string, readonly Values[] | undefined>>)[member] ?? []; // the shape of every list
  expect(rows).toHaveLength(1);
  return rows[0] ?? {};
}

const picked = (values: Values, fields: readonly string[]): Values =>
  Object.fromEntries(fields.map((field) => [field, values[field]]));

describe.each([
  {
    about: 'default switches',
    settings: {},
    viewers: [...SYSTEM_VIEWERS, ...PROJECTS],
    operators: SYSTEM_VIEWERS,
  },
  {
    about: 'the service role elevated',
    settings: { TENURE_RBAC_SERVICE_ROLE_ELEVATED_ACCESS: 'true' },
    viewers: [...ELEVATED_VIEWERS, ...PROJECTS],
    operators: ELEVATED_VIEWERS,
  },
])('with $about', ({ settings, viewers, operators }) => {
  let tenure: Tenure;

  beforeAll(async () => {
    tenure = await startTenure('fields', {
      CONDUCTOR_HOST_NAME: CONDUCTOR,
      CONDUCTOR_GROUP: GROUP,
      ...settings,
    });
    await tenure.importDocument(DOCUMENT);
    await eventually(
      async () => (await nodeOf(tenure, locked.uuid))['conductor'],
      (conductor) => conductor === CONDUCTOR,
    );
  });

  afterAll(() => tenure.stop());

  const send = ({ persona }: Viewer, line: string, body?: unknown): Promise<Answer> =>
    ask(tenure, persona, line, { version: 'latest', ...(body !== undefined && { body }) });

  const seenBy = async (viewer: Viewer, { line, fields, isList }: Way): Promise<Values> => {
    const answer = await send(viewer, line);
    expect({ status: answer.status, text: answer.status === 200 ? '' : answer.text }).toEqual({
      status: 200,
      text: '',
    });
    expect(answer.text).not.toContain(SECRET);
    return picked(isList === true ? rowOf(answer.json, 'nodes') : (answer.json as Values), fields);
  };

  const named = (people: readonly Viewer[]) => people.map((one) => [one.name, one] as const);

  describe.each(named(viewers))('the %s', (_, viewer) => {
    it.each(WAYS.map((way) => [way.line, way] as const))(
      'is the same by %s',
      async (_line, way) => {
        expect(await seenBy(viewer, way)).toEqual(picked(viewer.views.node, way.fields));
      },
    );
  });

  it.each(named(viewers))(
    'shows the nodes in a chassis to the %s whole, or not at all',
    async (_, viewer) => {
      const isVisible = SYSTEM_VIEWERS.includes(viewer);
      for (const way of CHASSIS_WAYS) {
        const seen = isVisible ? await seenBy(viewer, way) : (await send(viewer, way.line)).status;
        expect([way.line, seen]).toEqual([
          way.line,
          isVisible ? picked(viewer.views.node, way.fields) : 403,
        ]);
      }
    },
  );

  it.each(named(viewers.filter(({ name }) => !name.endsWith('reader'))))(
    'answers an update by the %s with the fields that it sees',
    async (_, viewer) => {
      const answer = await send(viewer, `PATCH /v1/nodes/${free.uuid}`, PATCH_EXTRA);
      expect({ status: answer.status, text: answer.status === 200 ? '' : answer.text }).toEqual({
        status: 200,
        text: '',
      });
      expect(answer.text).not.toContain(SECRET);
      expect(picked(answer.json as Values, FIELDS)).toEqual({
        ...viewer.views.node,
        reservation: viewer.views.unheld,
      });
    },
  );

  it.each(named(viewersOf(OWNERS, TO_OWNERS)))(
    'masks each row of one list by itself for the %s',
    async (_, viewer) => {
      const only = `resource_class=${MIXED.resourceClass}`;
      for (const line of [
        `GET /v1/nodes?${only}&detail=true`,
        `GET /v1/nodes?${only}&fields=uuid,${FIELDS.join(',')}`,
        `GET /v1/nodes/detail?${only}&sort_key=name&sort_dir=desc`,
      ]) {
        const { nodes } = (await send(viewer, line)).json as { nodes: readonly Values[] };
        const seen = new Map(nodes.map((node) => [node['uuid'], picked(node, FIELDS)]));
        const unheld = { reservation: false };
        expect(seen).toEqual(
          new Map([
            [MIXED.own.uuid, { ...TO_OWNERS.node, ...unheld }],
            [MIXED.leased.uuid, { ...TO_LESSEES.node, ...unheld }],
            [MIXED.both.uuid, { ...TO_OWNERS.node, ...unheld }],
          ]),
        );
      }
    },
  );

  describe('a value that a caller may not see', () => {
    it.each(named(viewers))('is not in a validation for the %s', async (_, viewer) => {
      const isAllowed = !/reader|lessee member/u.test(viewer.name);
      for (const { uuid } of FAULTY) {
        const answer = await send(viewer, `GET /v1/nodes/${uuid}/validate`);
        expect(answer.status).toBe(isAllowed ? 200 : 403);
        expect(answer.text).not.toMatch(viewer.views.untold);
      }
    });

    it.each(named(PROJECTS))(
      'is not in the errors to the %s about a node that is locked by a conductor',
      async (_, viewer) => {
        for (const [line, body] of BUSY_CALLS) {
          const answer = await send(viewer, line, body);
          expect([400, 403, 404, 409]).toContain(answer.status);
          expect(answer.text).not.toMatch(viewer.views.untold);
        }
      },
    );

    it.each(named(PROJECTS))(
      'is not in the errors to the %s when the machine does not answer',
      async (_, viewer) => {
        for (const line of BMC_CALLS) {
          expect((await send(viewer, line)).text).not.toMatch(viewer.views.untold);
        }
      },
    );
  });

  describe('the properties of a volume target', () => {
    const one = `/v1/volume/targets/${TARGETS.locked.uuid}`;
    const ofNode = `/v1/nodes/${locked.uuid}/volume/targets`;
    const ways: readonly (readonly [line: string, isList: boolean])[] = [
      [`GET ${one}`, false],
      [`GET ${one}?fields=properties`, false],
      [`GET /v1/volume/targets?node=${locked.uuid}&fields=properties`, true],
      [`GET /v1/volume/targets?node=${locked.uuid}&detail=true`, true],
      [`GET ${ofNode}?fields=properties`, true],
      [`GET ${ofNode}?detail=true`, true],
    ];

    it.each(named(viewers))('are the same for the %s by every way', async (name, viewer) => {
      for (const [line, isList] of ways) {
        const answer = await send(viewer, line);
        expect([line, answer.status]).toEqual([line, 200]);
        expect(answer.text).not.toContain(SECRET);
        const row = isList ? rowOf(answer.json, 'targets') : (answer.json as Values);
        expect([line, row['properties']]).toEqual([line, TARGET_PROPERTIES[name]]);
      }
    });

    it.each(
      named(viewers.filter(({ name }) => !name.endsWith('reader') && name !== 'lessee member')),
    )('are in the answer to an update by the %s as it sees them', async (name, viewer) => {
      const line = `PATCH /v1/volume/targets/${TARGETS.free.uuid}`;
      const answer = await send(viewer, line, PATCH_EXTRA);
      expect([answer.status, (answer.json as Values)['properties']]).toEqual([
        200,
        TARGET_PROPERTIES[name],
      ]);
    });
  });

  describe('what some may not see', () => {
    const comparisons = [
      'sort_key=reservation',
      'sort_key=chassis_uuid',
      'sort_key=conductor_group',
      `chassis_uuid=${CHASSIS}`,
      `conductor_group=${GROUP}`,
      `conductor_group=${GROUP}&owner=x`,
      `conductor=${CONDUCTOR}`,
      'conductor=missing.example',
    ];
    const unsortable = ['last_error', 'driver_info', 'driver_internal_info', 'conductor'].map(
      (field) => `sort_key=${field}`,
    );
    const lists = ['/v1/nodes', '/v1/nodes/detail'];

    it.each(named(PROJECTS))('is neither sorted nor filtered by for the %s', async (_, viewer) => {
      for (const list of lists) {
        for (const comparison of [...comparisons, ...unsortable]) {
          const answer = await send(viewer, `GET ${list}?${comparison}`);
          expect([list, comparison, answer.status]).toEqual([list, comparison, 403]);
        }
      }
    });

    it.each(named(operators))('is sorted and filtered by for the %s', async (_, viewer) => {
      for (const list of lists) {
        for (const comparison of comparisons) {
          const answer = await send(viewer, `GET ${list}?${comparison}`);
          expect([list, comparison, answer.status]).toEqual([list, comparison, 200]);
        }
        for (const comparison of unsortable) {
          const answer = await send(viewer, `GET ${list}?${comparison}`);
          expect([list, comparison, answer.status]).toEqual([list, comparison, 400]);
        }
      }
    });

    it.each(named([...operators, ...PROJECTS]))(
      'is not what the %s finds ports by, unless it sees it on their nodes',
      async (_, viewer) => {
        for (const kind of ['ports', 'portgroups']) {
          const answer = await send(viewer, `GET /v1/${kind}?conductor_groups=${GROUP}`);
          const newest = answer.headers['x-openstack-ironic-api-maximum-version'] ?? '';
          const isServed = Number(newest.split('.')[1]) >= 99;
          const served = viewer.views === TO_THE_SYSTEM ? 200 : 403;
          expect([kind, answer.status]).toEqual([kind, isServed ? served : 406]);
        }
      },
    );
  });
});
