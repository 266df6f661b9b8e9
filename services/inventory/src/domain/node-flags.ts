import { BadRequestError, ConflictError, fieldOf, type NodeRecord } from '@tenure/contracts';

const PROTECTABLE_STATES: readonly string[] = ['active', 'rescue'];

/**
 * A reason explains a flag that is set.
 * @param given fields that the request names
 * @throws BadRequestError
 */
export function assertReasons(node: NodeRecord, given: readonly string[]): void {
  for (const flag of ['protected', 'retired']) {
    const reason = `${flag}_reason`;
    if (given.includes(reason) && fieldOf(node, reason) !== null && fieldOf(node, flag) !== true)
      throw new BadRequestError(`The ${reason} field can only be set when ${flag} is True`);
  }
}

/**
 * Only what is in use can be protected, and what may be handed out at any moment cannot be retired.
 * @throws ConflictError `invalid_state`
 */
export function assertFlags(before: NodeRecord, after: NodeRecord): void {
  const isSet = (flag: string): boolean =>
    fieldOf(before, flag) !== true && fieldOf(after, flag) === true;
  const { uuid, provision_state: state } = before;
  if (isSet('protected') && !PROTECTABLE_STATES.includes(state))
    throw new ConflictError(
      'invalid_state',
      `Node ${uuid} can only be made protected in provision states 'active' or 'rescue', the current state is '${state}'`,
    );
  if (isSet('retired') && state === 'available')
    throw new ConflictError(
      'invalid_state',
      `Node ${uuid} can not have 'retired' set in provision state 'available'`,
    );
}
