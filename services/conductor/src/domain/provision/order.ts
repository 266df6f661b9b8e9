import { type Static } from '@sinclair/typebox';
import {
  type api,
  BadRequestError,
  CHANGE,
  NotAcceptableError,
  PROVISION_PARAMETER_SINCE,
} from '@tenure/contracts';
import { RESERVED_ARGUMENTS } from './reserved-steps.js';
import { type ProvisionEvent, verbOf } from './transitions.js';

/** The body of `PUT /v1/nodes/{id}/states/provision`. */
type ProvisionBody = Static<typeof api.VERB.provision>;

/** A requested verb with checked parameters. `event` is undefined when there is no such verb. */
export interface ProvisionOrder {
  readonly target: string;
  readonly event: ProvisionEvent | undefined;
  readonly steps: readonly api.ProvisionStep[];
  readonly configDrive: string | Readonly<Record<string, unknown>> | undefined;
  /** No agent may be booted for the steps. */
  readonly disableRamdisk: boolean;
  /** As sha512-crypt; the password itself is kept nowhere. */
  readonly hashedRescuePassword?: string;
  /** Whether the decision on the order lets its caller write `lessee`; absent: nothing was decided about that. */
  readonly mayWriteLessee?: boolean;
  /** Whether it serves the lessee of the node. */
  readonly byTenant?: boolean;
}

/** A password as sha512-crypt. */
export type HashPassword = (password: string) => string;

type ParameterName = keyof typeof PROVISION_PARAMETER_SINCE;

interface ParameterRule {
  readonly name: ParameterName;
  /** Verbs that take it. */
  readonly events: readonly ProvisionEvent[];
  /** The verb that cannot do without it. */
  readonly requiredBy?: ProvisionEvent;
  readonly refusal: string;
  readonly missing?: string;
}

const onlyFor = (name: ParameterName, verbs: string): string =>
  `"${name}" is only valid when setting target provision state to ${verbs}`;

/** A parameter of one verb, which cannot do without it. */
const required = (name: ParameterName, verb: ProvisionEvent): ParameterRule => ({
  name,
  events: [verb],
  requiredBy: verb,
  refusal: onlyFor(name, verb),
  missing: `"${name}" is required when setting target provision state to ${verb}`,
});

const RULES: readonly ParameterRule[] = [
  required('clean_steps', 'clean'),
  {
    name: 'deploy_steps',
    events: ['deploy', 'rebuild'],
    refusal: onlyFor('deploy_steps', 'active or rebuild'),
  },
  required('service_steps', 'service'),
  {
    ...required('rescue_password', 'rescue'),
    missing:
      'A non-empty "rescue_password" is required when setting target provision state to rescue',
  },
  {
    name: 'disable_ramdisk',
    events: ['clean', 'service'],
    refusal: onlyFor('disable_ramdisk', 'clean or service'),
  },
  {
    name: 'runbook',
    events: [],
    refusal: 'Runbooks cannot be carried out yet; send the steps instead.',
  },
];

/** An order without parameters. */
export const plainOrder = (target: string): ProvisionOrder => ({
  target,
  event: verbOf(target)?.event,
  steps: [],
  configDrive: undefined,
  disableRamdisk: false,
});

/**
 * A request as an order: every rule that needs no node.
 * @param minor microversion that was negotiated
 * @param hash applied to a rescue password
 * @throws NotAcceptableError when verb or parameter are newer than that; BadRequestError
 */
export function orderOf(body: ProvisionBody, minor: number, hash: HashPassword): ProvisionOrder {
  const verb = verbOf(body.target);
  if (verb !== undefined && minor < verb.since) throw new NotAcceptableError();
  const event = verb?.event;
  for (const rule of RULES) checkRule(rule, body, event, minor);
  const configDrive = driveOf(body);
  if (configDrive !== undefined) checkConfigDrive(configDrive, event, minor);
  const steps = stepsOf(body);
  for (const step of steps) checkStep(step, minor);
  return {
    target: body.target,
    event,
    steps,
    configDrive,
    disableRamdisk: body.disable_ramdisk ?? false,
    ...rescueOf(body, hash),
  };
}

function checkRule(
  rule: ParameterRule,
  body: ProvisionBody,
  event: ProvisionEvent | undefined,
  minor: number,
): void {
  const value = body[rule.name];
  if (isGiven(value)) {
    if (minor < PROVISION_PARAMETER_SINCE[rule.name]) throw new NotAcceptableError();
    if (event === undefined || !rule.events.includes(event))
      throw new BadRequestError(rule.refusal);
  }
  if (
    rule.missing !== undefined &&
    event === rule.requiredBy &&
    (!isGiven(value) || isBlank(value))
  )
    throw new BadRequestError(rule.missing);
}

const driveOf = ({ configdrive: drive }: ProvisionBody): NonNullable<typeof drive> | undefined =>
  drive === null || drive === '' ? undefined : drive;

function checkConfigDrive(
  drive: NonNullable<ProvisionBody['configdrive']>,
  event: ProvisionEvent | undefined,
  minor: number,
): void {
  const withRebuild = minor >= CHANGE.rebuildWithDrive.minor;
  if (event !== 'deploy' && !(event === 'rebuild' && withRebuild))
    throw new BadRequestError(
      `Adding a config drive is only supported when setting provision state to ${withRebuild ? 'active, rebuild' : 'active'}`,
    );
  if (typeof drive === 'string') return;
  if (minor < CHANGE.driveAsObject.minor)
    throw new BadRequestError(
      `Providing a JSON object for configdrive is only supported starting with API version 1.${CHANGE.driveAsObject.minor}`,
    );
  if (drive.vendor_data !== undefined && minor < CHANGE.vendorData.minor)
    throw new BadRequestError(
      `Providing vendor_data in configdrive is only supported starting with API version 1.${CHANGE.vendorData.minor}`,
    );
}

function stepsOf(body: ProvisionBody): readonly api.ProvisionStep[] {
  const steps = body.clean_steps ?? body.service_steps ?? body.deploy_steps ?? [];
  // Steps of a deployment have priorities, the highest first; the others are done in the order given.
  return steps.toSorted((one, other) => (other.priority ?? 0) - (one.priority ?? 0));
}

function checkStep(step: api.ProvisionStep, minor: number): void {
  if (step.interface !== undefined) return;
  if (!Object.hasOwn(RESERVED_ARGUMENTS, step.step))
    throw new BadRequestError(`The step ${step.step} names no interface.`);
  if (minor < CHANGE.reservedSteps.minor) throw new NotAcceptableError();
}

const rescueOf = (
  { rescue_password: password }: ProvisionBody,
  hash: HashPassword,
): Pick<ProvisionOrder, 'hashedRescuePassword'> =>
  typeof password === 'string' ? { hashedRescuePassword: hash(password) } : {};

const isGiven = (value: unknown): boolean =>
  value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);
const isBlank = (value: unknown): boolean => typeof value === 'string' && value.trim() === '';
