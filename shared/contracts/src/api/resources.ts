import { Type } from '@sinclair/typebox';
import {
  HANDOVER_CAUSES,
  HANDOVER_OUTCOMES,
  HANDOVER_PHASES,
  HANDOVER_STATUSES,
} from '../handover-record.js';
import { LEASE_STATUSES } from '../lease-record.js';
import { NODE_CATALOGUE } from '../node-fields.js';
import { ALLOCATION_CATALOGUE, ALLOCATION_STATES } from '../resource-fields/allocation-fields.js';
import { CHASSIS_CATALOGUE } from '../resource-fields/chassis-fields.js';
import { DEPLOY_TEMPLATE_CATALOGUE } from '../resource-fields/deploy-template-fields.js';
import { HANDOVER_CATALOGUE } from '../resource-fields/handover-fields.js';
import { LEASE_CATALOGUE } from '../resource-fields/lease-fields.js';
import { PORT_CATALOGUE } from '../resource-fields/port-fields.js';
import { PORTGROUP_CATALOGUE } from '../resource-fields/portgroup-fields.js';
import { VOLUME_CONNECTOR_CATALOGUE } from '../resource-fields/volume-connector-fields.js';
import { VOLUME_TARGET_CATALOGUE } from '../resource-fields/volume-target-fields.js';
import { LeaseEnd } from './leases.js';
import { schemasOfCatalogue } from './record-schemas.js';
import { enumOf, exactly, Members, Moment, orNull, Text, Uuid } from './values.js';

export const NODE_SCHEMAS = schemasOfCatalogue({
  title: 'Node',
  collection: 'nodes',
  catalogue: NODE_CATALOGUE,
  // A caller who may not see the conductor that reserves a node gets a boolean: whether it is reserved.
  special: { reservation: Type.Union([Text, Type.Boolean(), Type.Null()]) },
});

export const PORT_SCHEMAS = schemasOfCatalogue({
  title: 'Port',
  collection: 'ports',
  catalogue: PORT_CATALOGUE,
});

export const PORTGROUP_SCHEMAS = schemasOfCatalogue({
  title: 'Portgroup',
  collection: 'portgroups',
  catalogue: PORTGROUP_CATALOGUE,
});

export const VOLUME_CONNECTOR_SCHEMAS = schemasOfCatalogue({
  title: 'VolumeConnector',
  collection: 'connectors',
  catalogue: VOLUME_CONNECTOR_CATALOGUE,
});

export const VOLUME_TARGET_SCHEMAS = schemasOfCatalogue({
  title: 'VolumeTarget',
  collection: 'targets',
  catalogue: VOLUME_TARGET_CATALOGUE,
});

export const CHASSIS_SCHEMAS = schemasOfCatalogue({
  title: 'Chassis',
  collection: 'chassis',
  catalogue: CHASSIS_CATALOGUE,
});

export const DEPLOY_TEMPLATE_SCHEMAS = schemasOfCatalogue({
  title: 'DeployTemplate',
  collection: 'deploy_templates',
  catalogue: DEPLOY_TEMPLATE_CATALOGUE,
});

export const LEASE_SCHEMAS = schemasOfCatalogue({
  title: 'Lease',
  collection: 'leases',
  catalogue: LEASE_CATALOGUE,
  special: { status: enumOf(...LEASE_STATUSES), on_end: LeaseEnd },
});

const HandoverStep = exactly(
  { step: Text, outcome: enumOf(...HANDOVER_OUTCOMES), at: Moment, detail: orNull(Text) },
  'HandoverStep',
);
const HandoverPlan = exactly({ undeploy: Type.Boolean(), clean: Type.Boolean() }, 'HandoverPlan');

export const HANDOVER_SCHEMAS = schemasOfCatalogue({
  title: 'Handover',
  collection: 'handovers',
  catalogue: HANDOVER_CATALOGUE,
  special: {
    cause: enumOf(...HANDOVER_CAUSES),
    status: enumOf(...HANDOVER_STATUSES),
    phase: orNull(enumOf(...HANDOVER_PHASES)),
    plan: HandoverPlan,
    steps: Type.Array(HandoverStep),
    // Null where they are masked: `{}` and `[]` say that there is nothing.
    put_back: orNull(Members),
    firmware: orNull(Type.Array(Members)),
    sealed: orNull(Members),
  },
});

export const ALLOCATION_SCHEMAS = schemasOfCatalogue({
  title: 'Allocation',
  collection: 'allocations',
  catalogue: ALLOCATION_CATALOGUE,
  special: {
    candidate_nodes: Type.Array(Uuid),
    state: orNull(enumOf(...ALLOCATION_STATES)),
    traits: Type.Array(Text),
  },
});
